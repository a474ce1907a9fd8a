"""The assembler: where it is looked for, how it is called, what its output says, and what is told when it fails."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from flydsl.base.errors import ToolchainError, ToolchainMissingError
from flydsl_cuda import backend
from flydsl_cuda import ptxas as module
from flydsl_cuda.backend import CudaBackend
from flydsl_cuda.ptxas import LostSpeedWarning, Resources, assemble, find_ptxas, losses, newest_ptx, resources

Recorder = Callable[..., Path]


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_a_setting_comes_before_what_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = program(tmp_path / "installed/ptxas")
    monkeypatch.delenv("FLYDSL_CUDA_PTXAS", raising=False)
    monkeypatch.setattr(module, "find_program", {"ptxas": installed}.get)
    assert find_ptxas() == installed
    named = program(tmp_path / "named/my-ptxas")
    monkeypatch.setenv("FLYDSL_CUDA_PTXAS", str(named))
    assert find_ptxas() == named
    monkeypatch.setenv("FLYDSL_CUDA_PTXAS", "None")
    assert find_ptxas() is None


def test_a_setting_that_names_a_file_without_the_right_to_execute_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = program(tmp_path / "bin/ptxas")
    path.chmod(0o644)
    monkeypatch.setenv("FLYDSL_CUDA_PTXAS", str(path))
    with pytest.raises(ToolchainMissingError, match=r"which is a file that may not be executed \(chmod \+x\)"):
        find_ptxas()


def test_a_setting_that_names_no_program_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_CUDA_PTXAS", "/nowhere/ptxas")
    with pytest.raises(ToolchainMissingError, match="FLYDSL_CUDA_PTXAS is '/nowhere/ptxas', which is no program"):
        find_ptxas()


@pytest.mark.parametrize(
    ("release", "ptx"),
    [("12.0", 80), ("12.4", 84), ("12.6", 85), ("12.8", 87), ("12.9", 88), ("13.0", 90), ("13.5", 95)],
)
def test_a_release_reads_a_version_of_ptx(recorder: Recorder, release: str, ptx: int) -> None:
    assert newest_ptx(recorder(release) / "ptxas") == ptx


def test_another_program_is_no_ptxas(tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match="is no ptxas: to --version it says ''"):
        newest_ptx(program(tmp_path / "bin/ptxas"))


def test_it_is_called_with_the_chip_and_the_flags(recorder: Recorder) -> None:
    folder = recorder()
    found = assemble("text of µ", folder / "ptxas", "sm_90a", ["-O3"])
    assert (folder / "calls").read_text() == "-arch=sm_90a -v -O3 kernels.ptx -o kernels.cubin\n"
    assert (folder / "ptx").read_text() == "text of µ"
    assert found.cubin == b"\x7fELF of -arch=sm_90a"
    assert found.kernels == {"k": Resources(33, 12, 16, 8, 2048)}


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            "ptxas error : Entry function 'k' uses too much shared data (0x20000 bytes, 0xc000 max)",
            "kernel 'k' needs 131072 bytes of shared memory for a block, which has 49152",
        ),
        ("ptxas fatal : Unresolved extern function 'helper'", "the kernel calls 'helper', which nothing defines"),
        ("syntax error near line 7", "refuses the PTX (it ended with status 1): syntax error near line 7"),
        ("bad " * 2000, "bad  ... (7999 characters)"),
    ],
)
def test_its_errors_are_told(recorder: Recorder, said: str, expected: str) -> None:
    folder = recorder(fails=said)
    with pytest.raises(ToolchainError) as caught:
        assemble("", folder / "ptxas", "sm_90a")
    assert expected in str(caught.value)


def test_a_program_that_cannot_start_is_an_error(tmp_path: Path) -> None:
    path = program(tmp_path / "bin/ptxas")
    path.write_text("#!/nowhere/interpreter\n")
    with pytest.raises(ToolchainError, match="cannot be run: No such file"):
        assemble("", path, "sm_90a")


VERSION = '[ "$1" = --version ] && echo "release 13.0" && exit\n'


@pytest.mark.parametrize(
    ("script", "text"),
    [
        (
            "exit 3",
            "makes no code of the PTX and says nothing: it ended with status 3; FLYDSL_CUDA_PTXAS names another",
        ),
        ("kill -9 $$", "says nothing: it was ended by signal Killed"),
        ("exit 0", "says nothing: it wrote 0 bytes that are no machine code"),
        ("echo garbage > kernels.cubin", "it wrote 8 bytes that are no machine code"),
        ("exec sleep 60", "bin/ptxas has not ended after 0.2 s: -arch=sm_90a -v kernels.ptx"),
    ],
)
def test_a_program_that_makes_no_code_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, text: str
) -> None:
    monkeypatch.setattr(module, "_ASSEMBLY_SECONDS", 0.2)
    path = program(tmp_path / "bin/ptxas")
    path.write_text(f"#!/bin/sh\n{VERSION}{script}\n")
    with pytest.raises(ToolchainError) as caught:
        assemble("", path, "sm_90a")
    assert text in str(caught.value)


def test_the_resources_of_several_kernels_are_told_apart() -> None:
    log = """
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'first' for 'sm_80'
ptxas info    : Function properties for first
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 20 registers, 400 bytes cmem[0]
ptxas info    : Compiling entry function 'second' for 'sm_80'
ptxas info    : Function properties for second
    16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 16 bytes cumulative stack size, 1152 bytes smem
ptxas info    : Function properties for called_by_both
    40 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
"""
    assert resources(log) == {"first": Resources(20), "second": Resources(255, 4, 8, 16, 1152)}


def test_it_is_in_the_key_of_the_code(recorder: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = recorder()
    monkeypatch.setattr(backend, "find_libdevice", lambda: folder / "libdevice.10.bc")
    assert CudaBackend().device_libraries() == [folder / "ptxas", folder / "libdevice.10.bc"]
    monkeypatch.setenv("FLYDSL_CUDA_PTXAS", "none")
    monkeypatch.setattr(backend, "find_libdevice", lambda: None)
    assert CudaBackend().device_libraries() == []


BUDGET = """
.version 8.0
.target sm_90a
.address_size 64
.visible .entry k() { setmaxnreg.inc.sync.aligned.u32 232; ret; }
"""


@pytest.mark.parametrize("program", [found for found in [find_ptxas()] if found])
def test_a_budget_that_is_ignored_is_a_warning(program: Path) -> None:
    with pytest.warns(LostSpeedWarning, match=r"C7508: 'setmaxnreg' ignored; unable to determine register count"):
        assemble(BUDGET, program, "sm_90a")


TOO_MANY = BUDGET.replace("k()", "k() .reqntid 128 .minnctapersm 32").replace(
    "setmaxnreg.inc.sync.aligned.u32 232;", ""
)


@pytest.mark.parametrize("program", [found for found in [find_ptxas()] if found])
def test_blocks_that_a_multiprocessor_cannot_hold_are_a_warning(program: Path) -> None:
    with pytest.warns(LostSpeedWarning, match="hint min_blocks_per_sm of kernel 'k' is ignored"):
        assemble(TOO_MANY, program, "sm_90a")


@pytest.mark.parametrize("program", [found for found in [find_ptxas()] if found])
def test_where_nothing_is_optimised_nothing_is_lost(program: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert assemble(BUDGET, program, "sm_90a", ["-O0"]).cubin


def test_a_fence_that_the_assembler_adds_is_no_loss() -> None:
    log = """
      ptxas info    : (C7519) Potential Performance Loss: wgmma.mma_async needs a fence, in function 'k'
      ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized in function 'k'
    """
    assert losses(log) == ["C7510: wgmma.mma_async instructions are serialized in function 'k'"]
