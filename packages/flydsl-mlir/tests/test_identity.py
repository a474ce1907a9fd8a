"""Identity of the native toolchain."""

from __future__ import annotations

import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pytest

import flydsl_mlir
from flydsl_mlir import identity


def test_versions_agree_with_the_loaded_library() -> None:
    assert identity.llvm_version() == flydsl_mlir.llvm_version()
    assert identity.llvm_version().startswith("22.")


def test_the_version_is_that_of_the_distribution() -> None:
    assert identity.distribution_version() == flydsl_mlir.__version__ == version("flydsl-mlir")


def test_ids_name_both_libraries_with_size_and_build_id() -> None:
    found = [part.split(":") for part in identity.library_ids()]
    assert [name.split(".so")[0] for name, *_ in found] == ["libMLIR", "libLLVM"]
    assert all(int(size) > 1_000_000 and len(content) >= 32 for _, size, content in found)


def test_nothing_is_loaded() -> None:
    script = (
        "import sys; from flydsl_mlir import identity; identity.library_ids(); identity.native_file();"
        "sys.exit('flydsl_mlir._native' in sys.modules or 'libMLIR' in open('/proc/self/maps').read())"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_library_without_build_id_is_hashed(tmp_path: Path) -> None:
    folder = tmp_path / "lib"
    folder.mkdir()
    for library in identity.shared_libraries(tmp_path):
        library.write_bytes(b"not an ELF file")
    before = identity.library_ids(tmp_path)
    assert all(part.count(":") == 2 for part in before)
    time.sleep(0.02)  # a tick of the file system's clock
    identity.shared_libraries(tmp_path)[0].write_bytes(b"another content")
    assert identity.library_ids(tmp_path) != before


def test_missing_library_names_the_packages_to_install(tmp_path: Path) -> None:
    with pytest.raises(ImportError, match="apt install libmlir-22 libllvm22"):
        identity.library_ids(tmp_path)


@pytest.mark.parametrize("length", [0, 5, 40, 63, 64, 100, 500])
def test_cut_elf_file_has_no_build_id(length: int, tmp_path: Path) -> None:
    head = identity.native_file().read_bytes()[:length]
    assert identity._build_id(head) == ""


@pytest.mark.usefixtures("self_contained")
def test_a_self_contained_build_needs_no_libraries(tmp_path: Path) -> None:
    assert identity.is_self_contained()
    assert identity.shared_libraries() == ()
    assert identity.library_state() == ((), 0)
    assert identity.llvm_prefix() == Path("/usr/lib/llvm-22")
    assert identity.loadable(tmp_path) == tmp_path  # with nothing in it: to be refused


@pytest.mark.usefixtures("self_contained")
def test_another_llvm_beside_a_self_contained_build_only_runs_passes(tmp_path: Path) -> None:
    library = identity.llvm_library(tmp_path)
    library.parent.mkdir()
    for file in identity.shared_libraries(tmp_path):
        file.write_bytes(b"a library")
    assert identity.loadable(tmp_path) is None
    assert [part.split(":")[0] for part in identity.library_ids(tmp_path)] == [library.name]
