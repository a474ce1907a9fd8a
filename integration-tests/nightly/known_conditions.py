"""Random kernels with conditions that are known, in loops, on the CPU: each compiles within bounds, and computes what
Python does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1] / "lib"))

from support.long_run import Outcome, long_run
from support.source_modules import module_of

WHAT = "kernels with known conditions"
TOGETHER, SECONDS, THREADS = 8, 300, 16
"""Programs of one process, how long it may take, and threads of a kernel."""
CONDITIONS = (
    *("a == a", "b != b", "c > c", "a <= a", "(c >= 7) or (a == a)", "(b < 3) and (b < b)", "not (a == a)"),
    *("(a > b) or not (c != c)", "(c ^ c) == 0", "(b & 0) != 0", "a - a < 1", "a < b", "(t & 1) == 0"),
)
STATEMENTS = ("a = a + {n}", "b = b ^ c", "c = c - a", "b = b + t", "a = c + b", "c = a", "b = b >> (t & 3)", "pass")


def run(count: int, seed: int) -> Outcome:
    """`count` programs; one that does not end is a failure, as a wrong one is."""
    failures = []
    for start in range(0, count, TOGETHER):
        chunk = [str(seed * 100_003 + start), str(min(TOGETHER, count - start))]
        try:
            done = subprocess.run(
                [sys.executable, __file__, "--chunk", *chunk],
                capture_output=True,
                text=True,
                check=False,
                timeout=SECONDS,
            )
            if done.returncode:
                failures.append(f"seed {chunk[0]}: {(done.stdout + done.stderr)[-600:]}")
        except subprocess.TimeoutExpired as error:
            failures.append(f"seed {chunk[0]}: no end after {SECONDS} s: {(error.stdout or b'')[-600:]!r}")
    return Outcome(WHAT, count, len(failures), {}, tuple(failures[:5]))


def program(rng: Random) -> str:
    """A function of three numbers and the thread's index that gives three."""
    lines = ["def function(a, b, c, t):"]
    _write_block(rng, lines, 1, 3)
    return "\n".join([*lines, "    return a, b, c"]) + "\n"


def _write_block(rng: Random, lines: list[str], depth: int, budget: int) -> None:
    indent = "    " * depth
    for _ in range(rng.randint(1, 3)):
        kind = rng.random() if budget else 0
        if kind < 0.4:
            lines.append(indent + rng.choice(STATEMENTS).format(n=rng.randint(1, 9)))
            continue
        loop = f"for q{depth} in range(t & {rng.choice((3, 7))}):"
        lines.append(indent + (loop if kind > 0.75 else f"if {rng.choice(CONDITIONS)}:"))
        _write_block(rng, lines, depth + 1, budget - 1)
        if kind <= 0.75 and rng.random() < 0.7:
            lines.append(indent + "else:")
            _write_block(rng, lines, depth + 1, budget - 1)


def check(seed: int, count: int) -> None:
    """Compile and run the programs of a chunk, each with its text before it, so that an endless one is known."""
    os.environ["FLYDSL_COMPILE_BACKEND"] = "cpu"
    with TemporaryDirectory() as folder:
        os.environ["FLYDSL_RUNTIME_CACHE_DIR"] = folder
        for index in range(count):
            text = program(Random(seed * 1009 + index))
            print(text, flush=True)
            path = Path(folder) / f"known_{index}.py"
            path.write_text(text)
            _compare(module_of(path).function)


def _compare(function: object) -> None:
    import numpy as np

    import flydsl.compiler as flyc
    import flydsl.expr as fx

    called: object = function

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        t = fx.thread_idx.x
        a, b, c = called(x[0, t], x[1, t], x[2, t], t)  # type: ignore[operator]
        y[0, t], y[1, t], y[2, t] = a, b, c

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=1, block=THREADS)

    x = np.random.default_rng(0).integers(-99, 99, (3, THREADS)).astype(np.int32)
    y = np.zeros_like(x)
    host(x, y)
    expected = [called(*map(int, x[:, t]), t) for t in range(THREADS)]  # type: ignore[operator]
    wrapped = (np.array(expected, dtype=object).T & 0xFFFFFFFF).astype(np.uint32).view(np.int32)
    np.testing.assert_array_equal(y, wrapped)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--chunk"]:
        check(int(sys.argv[2]), int(sys.argv[3]))
    else:
        chosen = long_run(__doc__, 400)
        run(chosen.count, chosen.seed).print()
