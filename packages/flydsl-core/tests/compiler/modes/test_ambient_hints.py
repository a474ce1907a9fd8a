"""Blocks of compile hints: what is in force, and that calls inside have code of their own."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import ArgumentError
from flydsl.compiler.kernel_function import CompilationContext

compile_hints, get_compile_hints = CompilationContext.compile_hints, CompilationContext.get_compile_hints


@flyc.kernel
def fill_kernel(x: fx.Tensor):
    x[0] = 1.0


def test_inner_blocks_count_and_end() -> None:
    with compile_hints({"opt_level": 1, "fastmath": "nnan"}):
        with compile_hints({"opt_level": 3, "fastmath": None}):
            assert get_compile_hints() == {"opt_level": 3, "fastmath": "nnan"}
        assert get_compile_hints()["opt_level"] == 1
        seen = []
        thread = threading.Thread(target=lambda: seen.append(get_compile_hints()))
        thread.start()
        thread.join()
        assert seen == [{}]
    assert get_compile_hints() == {}
    with pytest.raises(ArgumentError, match="no compile hint 'opt'"), compile_hints({"opt": 1}):
        pass


def test_calls_of_a_block_have_code_of_their_own(fake_device) -> None:
    traced = []

    @flyc.jit
    def fill(x: fx.Tensor):
        traced.append(CompilationContext.get_current())
        fill_kernel(x).launch(grid=1, block=1)

    x = np.zeros(4, np.float32)
    for turn in range(2):
        fill(x)
        with compile_hints({"opt_level": 1}):
            fill(x)
        with compile_hints({"opt_level": 3}):
            fill(x)
        if turn == 0:
            assert "3" in [value for name, value in fill.get_last_artifact().key.items() if "opt_level" in name]
    assert len(traced) == 3
    assert all(isinstance(context, CompilationContext) for context in traced)
    assert CompilationContext.get_current() is None


def test_a_call_of_a_block_only_compiles_where_that_is_asked_for(fake_device, monkeypatch: pytest.MonkeyPatch) -> None:
    @flyc.jit
    def fill(x: fx.Tensor):
        fill_kernel(x).launch(grid=1, block=1)

    monkeypatch.setenv("COMPILE_ONLY", "1")
    with compile_hints({"opt_level": 1}):
        fill(np.zeros(4, np.float32))
    assert fill.get_last_artifact().name == "fill"
    assert not fake_device.launches
