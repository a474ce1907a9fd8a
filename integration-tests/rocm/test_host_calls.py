"""Kernels that call the host: the implicit argument that code objects declare for it, and what is printed."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import RuntimeFailure
from flydsl_hipsim.bench import HipsimBench
from flydsl_rocm import pipeline

VERSIONS = {500: 3, 600: 4}
"""Of code objects: `abi=` of MLIR, and the ABI version in the ELF header."""


@flyc.kernel
def talk(x: fx.Tensor):
    i = fx.thread_idx.x
    if i == 3:
        fx.printf("thread {} has {}", i, x[i])
    assert x[i] >= 0, "a negative number"


@flyc.kernel
def be_silent(x: fx.Tensor):
    x[fx.thread_idx.x] = 1.0


@pytest.mark.parametrize("version", VERSIONS)
def test_kernels_print_and_fail_in_either_version_of_code_objects(
    version: int, hipsim: HipsimBench, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pipeline, "DEFAULT_ABI", version)
    monkeypatch.setenv("FLYDSL_RUNTIME_ENABLE_CACHE", "0")

    @flyc.jit
    def host(x: fx.Tensor):
        talk(x).launch(grid=1, block=32)

    x = np.arange(32, dtype=np.float32)
    code = host.trace(x).lower().compile().device
    assert code[8] == VERSIONS[version]
    assert b"hidden_hostcall_buffer" in code
    host(x)
    assert capfd.readouterr().out == "thread 3 has 3.000000\n"
    x[5] = -1
    with pytest.raises(RuntimeFailure, match="trapped"):
        host(x)
    assert "a negative number" in capfd.readouterr().out
    hipsim.clear_faults()


def test_kernels_that_print_nothing_need_no_host_call(hipsim: HipsimBench) -> None:
    @flyc.jit
    def host(x: fx.Tensor):
        be_silent(x).launch(grid=1, block=32)

    code = host.trace(np.zeros(32, np.float32)).lower().compile().device
    assert b"hidden_hostcall_buffer" not in code
    assert b"hidden_printf_buffer" not in code
