"""Device libraries and the cache: their content decides, nobody else's is linked, and each change is seen.

The kernels run on a simulated GPU; the library defines a sine that is constant.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from support.other_user import OTHER, give_away

import flydsl.compiler as flyc
import flydsl.expr as fx
import flydsl_mlir
from flydsl.base.errors import CompileError, ToolchainMissingError
from flydsl_hipsim.bench import HipsimBench
from flydsl_rocm.backend import RocmBackend

Write = Callable[[float], Path]

SINE = """
module attributes {{llvm.target_triple = "amdgcn-amd-amdhsa"}} {{
  llvm.func @__ocml_sin_f64(%x: f64) -> f64 {{
    %c = llvm.mlir.constant({value} : f64) : f64
    llvm.return %c : f64
  }}
}}
"""
PROGRAM = """
import numpy as np
import flydsl.compiler as flyc
import flydsl.expr as fx

@flyc.kernel
def sine_kernel(x: fx.Tensor):
    x[0] = fx.math.sin(x[1])

@flyc.jit
def sine(x: fx.Tensor):
    sine_kernel(x).launch(grid=1, block=64)

x = np.zeros(64)
sine(x)
print(x[0])
"""


@pytest.fixture
def write_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hipsim: HipsimBench) -> Write:
    """Writes the one device library of this machine; gives its file."""
    hipsim.use("gfx942")
    monkeypatch.setattr("flydsl_rocm.device_libraries._FOLDERS", ())
    monkeypatch.setenv("ROCM_PATH", str(tmp_path / "rocm"))
    file = tmp_path / "rocm" / "amdgcn" / "bitcode" / "ocml.bc"

    def write(value: float) -> Path:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(flydsl_mlir.emit_llvm_ir(SINE.format(value=float(value)), bitcode=True))  # type: ignore[call-arg]
        return file

    return write


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The architecture of each code object that is made."""
    made: list[str] = []
    real = RocmBackend.emit_code_object

    def emit(self: RocmBackend, text: str, **how: object) -> bytes:
        made.append(str(how["arch"]))
        return real(self, text, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(RocmBackend, "emit_code_object", emit)
    return made


def call(function: Callable[[fx.Tensor], fx.Tensor] = fx.math.sin) -> float:
    """What a kernel of a program that begins now gives."""

    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = function(x[1])

    @flyc.jit
    def launch(x: fx.Tensor):
        kernel(x).launch(grid=1, block=64)

    x = np.zeros(64)
    launch(x)
    return float(x[0])


def test_changed_library_gives_new_code_in_the_same_process(write_library: Write, compilations: list[str]) -> None:
    for value in (42.0, 43.0, 42.0):
        write_library(value)
        assert call() == value
    assert len(compilations) == 2  # the code of the first library is in the cache


def test_changed_library_gives_new_code_when_a_function_is_prepared_again(write_library: Write) -> None:
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = fx.math.sin(x[1])

    @flyc.jit
    def launch(x: fx.Tensor):
        kernel(x).launch(grid=1, block=64)

    x = np.zeros(64)
    for value in (42.0, 43.0):
        write_library(value)
        flyc.compile(launch, x)(x)
        assert x[0] == value


def test_changed_library_gives_new_code_in_a_new_process(write_library: Write, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    environment = {**os.environ, "FLYDSL_HIPSIM": "gfx942"}
    for value in (42.0, 43.0):
        write_library(value)
        done = subprocess.run([sys.executable, program], env=environment, capture_output=True, text=True, check=False)
        assert done.stdout == f"{value}\n", done.stderr


def test_change_that_keeps_size_and_time_is_seen(write_library: Write) -> None:
    library = write_library(42.0)
    status = library.stat()
    assert call() == 42.0
    assert write_library(43.0).stat().st_size == status.st_size
    os.utime(library, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert call() == 43.0


def test_equal_library_elsewhere_is_the_same_code(
    write_library: Write, compilations: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_library(42.0)
    assert call() == 42.0
    (tmp_path / "rocm").rename(tmp_path / "with space")
    monkeypatch.setenv("ROCM_PATH", str(tmp_path / "with space"))
    assert call() == 42.0
    assert len(compilations) == 1


def test_library_that_changes_while_code_is_made_never_makes_a_false_entry(
    write_library: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_library(42.0)
    real, made = RocmBackend.emit_code_object, []

    def emit(self: RocmBackend, text: str, **how: object) -> bytes:
        code = real(self, text, **how)  # type: ignore[arg-type]
        if not made:
            write_library(43.0)
        made.append(code)
        return code

    monkeypatch.setattr(RocmBackend, "emit_code_object", emit)
    assert call() == 43.0
    assert len(made) == 2
    write_library(42.0)
    assert call() == 42.0


def test_library_that_changes_all_the_time_is_an_error(write_library: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write_library(1.0)
    real, made = RocmBackend.emit_code_object, []

    def emit(self: RocmBackend, text: str, **how: object) -> bytes:
        made.append(write_library(float(len(made) + 2)))
        return real(self, text, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(RocmBackend, "emit_code_object", emit)
    with pytest.raises(CompileError, match="a device library was replaced each time"):
        call()


def test_library_of_another_user_is_never_linked(
    write_library: Write, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = write_library(42.0)
    give_away(library, monkeypatch)
    with pytest.raises(ToolchainMissingError, match=rf"\(ocml\), and those found are not used: .* user {OTHER}"):
        call()
    assert not list(own_cache.rglob("*.entry"))
    assert call(lambda x: x + 1.0) == 1.0  # what calls no library needs none


def test_bitcode_in_the_cache_folder_is_never_linked(
    write_library: Write, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = write_library(42.0).read_bytes()
    write_library(7.0)
    assert call() == 7.0
    for folder in (own_cache, own_cache / "v1"):
        planted = folder / "toolkit" / "amdgcn" / "bitcode" / "ocml.bc"
        planted.parent.mkdir(parents=True)
        planted.write_bytes(theirs)
        give_away(planted, monkeypatch)
    assert call(lambda x: fx.math.sin(x) + 1.0) == 8.0


def test_what_is_no_file_is_no_library(write_library: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    library = write_library(42.0)
    library.unlink()
    os.mkfifo(library)
    with pytest.raises(ToolchainMissingError, match="which are not installed"):
        call()
    library.unlink()
    library.symlink_to("/dev/zero")
    with pytest.raises(ToolchainMissingError, match="which are not installed"):
        call()
