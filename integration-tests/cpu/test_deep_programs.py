"""Long expressions and chains: they compile, or say that they nest too deeply; recursion that never ends says that."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from support.source_modules import module_of

from flydsl.base.errors import FrontendError

HEAD = """
import flydsl.compiler as flyc
import flydsl.expr as fx
@flyc.kernel
def kernel(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    v = x[i]
"""
TAIL = """
    y[i] = v
@flyc.jit
def run(x: fx.Tensor, y: fx.Tensor):
    kernel(x, y).launch(grid=1, block=8)
"""
SUM = "    v = " + " + ".join(f"x[i] * {j}" for j in range(900))
ELIF = "    if v == 0:\n        v = v + 7\n" + "".join(
    f"    elif v == {j}:\n        v = v * {j}\n" for j in range(1, 110)
)
CHAIN = "    v = 1 if " + " < ".join(f"v + {j}" for j in range(150)) + " else 0"
BOTH = "    v = 1 if " + " and ".join(f"v != {j + 100}" for j in range(300)) + " else 0"
CALLS = "    v = " + "fx.max(" * 90 + "v" + "".join(f", {j})" for j in range(90))


def module(folder: Path, body: str) -> ModuleType:
    file = folder / "deep.py"
    file.write_text(HEAD + body + TAIL)
    return module_of(file)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (SUM, lambda x: x * sum(range(900))),
        (ELIF, lambda x: np.where(x == 0, 7, x * x)),
        (CHAIN, np.ones_like),
        (BOTH, np.ones_like),
        (CALLS, lambda x: np.full_like(x, 89)),
    ],
    ids=["sum", "elif", "comparison", "and", "calls"],
)
def test_what_is_long_compiles(tmp_path, body, expected):
    before = sys.getrecursionlimit()
    x, y = np.arange(8, dtype=np.int32), np.zeros(8, np.int32)
    module(tmp_path, body).run(x, y)
    np.testing.assert_array_equal(y, expected(x))
    assert sys.getrecursionlimit() == before


def test_what_nests_too_deeply_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr("flydsl.base.process.recursion._MORE_FRAMES", 0)
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)  # other tests may have imported what raises it
    x = np.arange(8, dtype=np.int32)
    try:
        with pytest.raises(FrontendError, match="expressions or branches of 'kernel' nest too deeply for Python's"):
            module(tmp_path, SUM).run(x, x.copy())
    finally:
        sys.setrecursionlimit(before)
