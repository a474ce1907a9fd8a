"""Files of plugins: which LLVM they are for is read, and nothing of them runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import flydsl_mlir
from flydsl_mlir.errors import MlirError
from flydsl_mlir.identity import llvm_library, llvm_version
from flydsl_mlir.plugin_file import check_plugin, read_plugin

OURS = llvm_library().name


def plugin(folder: Path, note: str = "", library: str = "", entry: str = "llvmGetPassPluginInfo") -> Path:
    """A library with the note that `fly_pass.h` writes, linked with an empty one called `library`."""
    text = f"define void @{entry}() {{ ret void }}\n"
    if note:
        size = len(note) + 1
        text += (
            "@note = constant <{ i32, i32, i32, [8 x i8], [SIZE x i8] }> <{ i32 8, i32 SIZE, i32 1, "
            f'[8 x i8] c"FlyPass\\00", [SIZE x i8] c"{note}\\00" }}>, section ".note.fly_pass", align 4\n'
        ).replace("SIZE", str(size))
    objects = [flydsl_mlir.codegen(text.encode(), triple="")]
    if library:
        empty = flydsl_mlir.codegen(b"", triple="")
        objects.append(flydsl_mlir.link([empty], args=[f"-soname={library}"]))
    file = folder / "plugin.so"
    file.write_bytes(flydsl_mlir.link(objects))
    return file


def test_the_note_and_the_libraries_are_read(tmp_path: Path) -> None:
    found = read_plugin(plugin(tmp_path, f"{llvm_version()} 0123abcd", OURS))
    assert (found.built_with, found.sources, found.libraries) == (llvm_version(), "0123abcd", (OURS,))
    assert found.uses_llvm


def test_a_plugin_of_this_llvm_is_taken(tmp_path: Path) -> None:
    check_plugin(plugin(tmp_path, f"{llvm_version()} 0123abcd", OURS))
    check_plugin(plugin(tmp_path))  # as others build them: LLVM's symbols are looked up in the program
    series = llvm_version().rpartition(".")[0]
    check_plugin(plugin(tmp_path, f"{series}.99 "))


@pytest.mark.parametrize("version", ["21.1.8", "22.0.0", "23.1.0", "22"])
def test_a_plugin_built_with_another_llvm_is_refused_with_both_versions(tmp_path: Path, version: str) -> None:
    with pytest.raises(MlirError, match=rf"is for LLVM {version}, and LLVM {llvm_version()} runs; build it with"):
        check_plugin(plugin(tmp_path, f"{version} ", OURS))


@pytest.mark.parametrize("library", ["libLLVM.so.21.1", "libLLVM-14.so.1"])
def test_a_plugin_linked_with_another_llvm_is_refused(tmp_path: Path, library: str) -> None:
    with pytest.raises(MlirError, match=f"linked with '{library}', and '{OURS}' runs"):
        check_plugin(plugin(tmp_path, library=library))


def test_a_library_that_is_no_plugin_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MlirError, match="uses nothing of LLVM"):
        check_plugin(plugin(tmp_path, entry="sine"))


def test_files_that_are_no_libraries_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.so"
    with pytest.raises(MlirError, match=r"cannot read plugin '.*x\.so': No such file"):
        check_plugin(file)
    with pytest.raises(MlirError, match="cannot read plugin '.*': Is a directory"):
        check_plugin(tmp_path)
    for content, reason in (
        (b"", "empty or damaged"),
        (b"#!/bin/sh\n", "not an ELF file"),
        (b"\x7fELF", "another processor"),
        (b"\x7fELF\x02\x01" + bytes(58), "another processor"),
    ):
        file.write_bytes(content)
        with pytest.raises(MlirError, match=reason):
            check_plugin(file)
    file.write_bytes(flydsl_mlir.codegen(b"define void @f() { ret void }", triple=""))
    with pytest.raises(MlirError, match="not a shared library"):
        check_plugin(file)


def test_damaged_plugins_end_with_an_error_or_are_read(tmp_path: Path, rng) -> None:  # type: ignore[no-untyped-def]
    file = plugin(tmp_path, f"{llvm_version()} 0", OURS)
    content = file.read_bytes()
    refused = 0
    for _ in range(300):
        damaged = bytearray(content[: int(rng.integers(1, len(content) + 1))])
        for at in rng.integers(0, min(len(damaged), 1024), 8):
            damaged[at] = rng.integers(0, 256)
        file.write_bytes(damaged)
        try:
            check_plugin(file)
        except MlirError:
            refused += 1
    assert refused > 100


def test_llvm_is_not_loaded(tmp_path: Path) -> None:
    file = plugin(tmp_path, f"{llvm_version()} 0", OURS)
    script = (
        f"import sys; from flydsl_mlir.plugin_file import check_plugin; check_plugin({str(file)!r});"
        "sys.exit('libLLVM' in open('/proc/self/maps').read())"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
