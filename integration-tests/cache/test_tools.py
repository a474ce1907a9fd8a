"""Tools that are replaced: what makes code is in the key by its content, in a new process and in a running one."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from support.cached_kernel import files, scaled

from flydsl.base.errors import ToolchainMissingError
from flydsl.cache.entry import decode
from flydsl.compiler.options.target_options import tools
from flydsl.plugins.code import manifest_text
from flydsl_mlir import identity

LINKER = next(filter(None, map(shutil.which, ("ld.lld-22", "ld.lld", "ld"))))


@pytest.fixture
def write_linker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Writes the linker that is set; each use of it adds a line to the file `log`."""
    program = tmp_path / "my-ld"
    monkeypatch.setenv("FLYDSL_COMPILE_LLD", str(program))

    def write(version: str) -> Path:
        program.write_text(f'#!/bin/sh\necho {version} >> {tmp_path / "log"}\nexec {LINKER} "$@"\n')
        program.chmod(0o755)
        return program

    return write


def test_replaced_linker_links_again(
    cache: Path, write_linker: Callable[[str], Path], compilations: list[str], tmp_path: Path
) -> None:
    for version in ("one", "two", "one"):
        write_linker(version)
        assert scaled(2.0) == 14.0
    assert len(compilations) == 2
    assert set((tmp_path / "log").read_text().split()) == {"one", "two"}


def test_linker_that_is_replaced_while_it_links_leaves_no_entry_of_the_other(
    cache: Path, write_linker: Callable[[str], Path], tmp_path: Path
) -> None:
    second = tmp_path / "second"
    shutil.copy(write_linker("two"), second)
    program = write_linker("one")
    lines = program.read_text().splitlines()
    program.write_text("\n".join([*lines[:2], f"mv {second} {program} 2>/dev/null || true", lines[2]]) + "\n")
    program.chmod(0o755)
    assert scaled(2.0) == 14.0
    (entry,) = files(cache, ".entry")
    assert dict(decode(entry.read_bytes()).key)["tool.native"] == tools("cpu")["native"]
    assert (tmp_path / "log").read_text().split()[-1] == "two"


def test_linker_that_is_gone_is_an_error_also_where_code_is_cached(
    cache: Path, write_linker: Callable[[str], Path]
) -> None:
    program = write_linker("one")
    assert scaled(2.0) == 14.0
    program.unlink()
    with pytest.raises(ToolchainMissingError, match="FLYDSL_COMPILE_LLD"):
        scaled(2.0)


def test_another_native_module_is_another_toolchain(
    cache: Path, compilations: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert scaled(2.0) == 14.0
    other = tmp_path / identity.native_file().name
    other.write_bytes(b"another build")
    monkeypatch.setattr(identity, "native_file", lambda: other)
    assert scaled(2.0) == 14.0
    assert len(compilations) == 2


def test_another_llvm_is_another_toolchain(
    cache: Path, compilations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert scaled(2.0) == 14.0
    ids, replaced_ns = identity.library_state()
    monkeypatch.setattr(identity, "library_state", lambda llvm_dir: ((*ids[:-1], "libLLVM.so.22.1:1:0"), replaced_ns))
    assert scaled(2.0) == 14.0
    assert len(compilations) == 2


def test_code_of_an_llvm_that_was_replaced_under_the_process_is_for_no_other(
    cache: Path, compilations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ids, _ = identity.library_state()
    monkeypatch.setattr(identity, "library_state", lambda llvm_dir: (ids, time.time_ns()))
    assert [scaled(2.0), scaled(2.0)] == [14.0, 14.0]
    assert len(compilations) == 1
    manifest_text._process_token.cache_clear()  # another process
    assert scaled(2.0) == 14.0
    assert len(compilations) == 2
