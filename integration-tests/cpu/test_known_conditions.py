"""Kernels whose conditions are known, in loops and around barriers: each compiles, and computes what Python does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ENDLESS = """
import numpy as np, flydsl.compiler as flyc, flydsl.expr as fx
def helper(a, b, t):
    for k in range(t & 7): b = b >> k
    if a > a: return a, b
    return a, t
@flyc.kernel
def kernel(x: fx.Tensor, y: fx.Tensor):
    t = fx.thread_idx.x
    a, b, c = x[t], y[t], x[t + 16]
    a, b = helper(a, b, t)
    if (c >= 7) or (a == a):
        y[t] = b
    else:
        for q in range(t & 7): c = c * b
    y[t] = c
@flyc.jit
def host(x: fx.Tensor, y: fx.Tensor): kernel(x, y).launch(grid=1, block=16)
x = np.arange(64, dtype=np.int32)
y = x.copy()
host(x, y)
assert y.tolist() == [*range(16, 32), *range(16, 64)]
"""
"""Once, the canonicalizer folded an addition for ever in the branch that is never taken."""
SCRIPT = Path(__file__).parents[1] / "nightly/known_conditions.py"


def test_a_branch_that_is_never_taken_is_no_work(tmp_path: Path) -> None:
    program = tmp_path / "endless.py"
    program.write_text(ENDLESS)
    subprocess.run([sys.executable, str(program)], check=True, timeout=200)


def test_compilations_end_with_what_python_computes() -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--seed", "3", "--count", "8"],
        capture_output=True,
        text=True,
        check=False,
        timeout=250,
    )
    assert done.returncode == 0, done.stderr
    assert '"tried": 8, "failed": 0' in done.stdout
