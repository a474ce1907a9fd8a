"""Code for every chip: PTX, machine code by an assembler that records its calls, and by the real one where it is."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from flydsl.base.errors import CompileError
from flydsl.toolchain.select import default_toolchain
from flydsl_cuda.backend import CudaBackend
from flydsl_cuda.code_object import CodeObject
from flydsl_cuda.ptxas import OFF, Resources, find_ptxas
from flydsl_cuda.target import TARGETS

Kernel = Callable[..., str]
Lower = Callable[..., str]
Ptx = Callable[..., str]
ASSEMBLERS = [OFF, *(str(found) for found in [find_ptxas()] if found)]
"""No assembler, and that of this machine."""
COPY = """
  %v = fly.ptr.load(%p) : (!fly.ptr<f32, global>) -> f32
  %w = arith.addf %v, %v : f32
  fly.ptr.store(%w, %p) : (f32, !fly.ptr<f32, global>) -> ()
"""


@pytest.fixture
def double(kernel: Kernel, lower: Lower) -> str:
    """A lowered kernel."""
    return lower(kernel("%p: !fly.ptr<f32, global>", COPY))


def emit(text: str, arch: str = "sm_90a", **options: object) -> CodeObject:
    return CodeObject.from_bytes(
        CudaBackend().emit_code_object(text, arch=arch, toolchain=default_toolchain(), options=options)
    )


@pytest.mark.parametrize("assembler", ASSEMBLERS, ids=os.path.basename)
@pytest.mark.parametrize("arch", TARGETS)
def test_a_kernel_compiles_for_every_chip(
    double: str, arch: str, assembler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLYDSL_CUDA_PTXAS", assembler)
    code = emit(double, arch)
    assert f".target {arch}" in code.ptx
    assert [code.ptx.count(word) for word in ("ld.global", "add.rn.f32", "st.global")] == [1, 1, 1]
    assert bool(code.cubin) == (assembler != OFF) == (code.cubin[:4] == b"\x7fELF")
    assert {name: found.registers > 0 for name, found in code.kernels.items()} == ({"k": True} if code.cubin else {})


@pytest.mark.parametrize(("release", "version"), [("12.1", "8.1"), ("13.0", "9.0"), ("13.5", "9.0")])
def test_ptx_is_as_new_as_llvm_and_the_assembler(
    double: str, recorder: Callable[..., Path], release: str, version: str
) -> None:
    folder = recorder(release)
    code = emit(double, "sm_90a")
    assert f".version {version}" in code.ptx
    assert (folder / "ptx").read_text() == code.ptx
    assert (code.cubin, code.kernels) == (b"\x7fELF of -arch=sm_90a", {"k": Resources(33, 12, 16, 8, 2048)})


def test_for_the_driver_ptx_is_as_old_as_the_chip_allows(double: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_CUDA_PTXAS", OFF)
    assert ".version 8.0" in emit(double, "sm_90a").ptx
    assert ".version 8.6" in emit(double, "sm_100a").ptx


def test_an_assembler_that_is_too_old_is_named(double: str, recorder: Callable[..., Path]) -> None:
    recorder("12.4")
    with pytest.raises(CompileError, match=r"reads PTX 8.4 and is too old for sm_100a, which needs 8.6: pip install"):
        emit(double, "sm_100a")


@pytest.mark.parametrize(("level", "flag"), [(0, "-O0"), (1, "-O1"), (2, "-O3"), (3, "-O3")])
def test_levels_reach_the_assembler(double: str, recorder: Callable[..., Path], level: int, flag: str) -> None:
    folder = recorder()
    emit(double, opt_level=level, debug_info=level == 3)
    lines = " -lineinfo" if level == 3 else ""
    assert (folder / "calls").read_text().endswith(f"-arch=sm_90a -v {flag}{lines} kernels.ptx -o kernels.cubin\n")


def test_an_assembler_that_is_not_there_is_named_unless_none_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FLYDSL_CUDA_PTXAS", raising=False)
    monkeypatch.setattr("flydsl_cuda.backend.find_ptxas", lambda: None)
    (line,) = CudaBackend().missing_tools()
    assert "no ptxas" in line
    assert "pip install 'flydsl-cuda[ptxas]'" in line
    monkeypatch.setenv("FLYDSL_CUDA_PTXAS", OFF)
    assert CudaBackend().missing_tools() == []


def test_a_report_says_what_the_assembler_said(
    double: str, recorder: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder()
    monkeypatch.setattr("flydsl_cuda.report.sass.find_program", lambda name: None)
    backend, toolchain = CudaBackend(), default_toolchain()
    code = backend.emit_code_object(double, arch="sm_90a", toolchain=toolchain)
    (report,) = backend.code_report(code, kernels=["k"], arch="sm_90a", toolchain=toolchain)
    assert (report.registers, report.memory) == ({"GPR": 33}, {"shared": 2048, "stack": 8})
    assert report.spills == {"store bytes": 12, "load bytes": 16}
    assert report.notes == ("instructions are not counted: there is no nvdisasm; pip install 'flydsl-cuda[report]'.",)
    with pytest.raises(CompileError, match="nothing is known of the machine code of 'other'"):
        backend.code_report(code, kernels=["other"], arch="sm_90a", toolchain=toolchain)


@pytest.mark.parametrize(
    ("block", "bounds"), [((64, 2, 1), ".reqntid 64, 2, 1"), (None, ".maxntid 1024")], ids=["known", "unknown"]
)
def test_launch_bounds_reach_the_kernel(
    block: tuple[int, int, int] | None, bounds: str, kernel: Kernel, ptx: Ptx
) -> None:
    assert bounds in ptx(kernel("", "", block=block))


def test_clusters_reach_the_kernel(kernel: Kernel, ptx: Ptx) -> None:
    text = ptx(kernel("", "", attributes=", gpu.known_cluster_size = array<i32: 2, 1, 1>"))
    assert ".reqnctapercluster 2, 1, 1" in text
