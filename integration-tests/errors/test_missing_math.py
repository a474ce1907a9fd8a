"""A math function that has an entry and no expansion is the same error on every backend."""

from __future__ import annotations

import math

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import IRError
from flydsl.expr.numbers.float_functions import unary
from flydsl.ir import upstream
from flydsl.ir.math_functions import MATH_FUNCTIONS, MathFunction

TARGETS = [("cpu", "x86-64-v3"), ("rocm", "gfx942"), ("rocm", "gfx1100"), ("cuda", "sm_90a")]
BLOCK = 32


@pytest.fixture(autouse=True)
def _sinpi(monkeypatch: pytest.MonkeyPatch) -> None:
    function = MathFunction("sinpi", lambda x: math.sin(math.pi * x), bound=2)
    monkeypatch.setitem(MATH_FUNCTIONS, "sinpi", function)
    monkeypatch.setitem(upstream.OPERATIONS, "math.sinpi", upstream.upstream_op("math.sinpi", pure=True))


@flyc.kernel
def kernel(x: fx.Tensor) -> None:
    i = fx.thread_idx.x
    x[i] = unary("sinpi", x[i])


@flyc.jit
def launch(x: fx.Tensor) -> None:
    kernel(x).launch(grid=1, block=BLOCK)


@pytest.mark.parametrize(("backend", "arch"), TARGETS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_it_is_refused_at_the_line_that_asks_for_it(backend: str, arch: str, dtype: type) -> None:
    traced = launch.trace(np.zeros(BLOCK, dtype), backend=backend, arch=arch)
    with pytest.raises(IRError, match=r"there is no math.sinpi on f\d\d: .*compute it from other functions") as raised:
        traced.lower()
    assert "test_missing_math.py" in str(raised.value)


def test_it_is_folded_by_its_entry() -> None:
    assert unary("sinpi", 0.5) == 1.0


@pytest.mark.parametrize(("backend", "arch"), TARGETS)
def test_known_functions_are_not_refused(backend: str, arch: str) -> None:
    names = [f.name for f in MATH_FUNCTIONS.values() if f.operands == 1 and f.expansion]

    @flyc.kernel
    def all_of_them(x: fx.Tensor) -> None:
        i = fx.thread_idx.x
        total = fx.Float32(0)
        for name in fx.range_constexpr(len(names)):
            total = total + unary(names[name], x[i])
        x[i] = total

    @flyc.jit
    def run(x: fx.Tensor) -> None:
        all_of_them(x).launch(grid=1, block=BLOCK)

    lowered = run.trace(np.zeros(BLOCK, np.float32), backend=backend, arch=arch).lower()
    assert "math.asinh" not in lowered.device_text
