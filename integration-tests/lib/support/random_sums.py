"""Random kernels whose loops carry many sums, checked against Python.

Numbers are small integers, so that float32 is exact in every order.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from random import Random
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
from support.source_modules import module_of

import flydsl.compiler as flyc
import flydsl.expr as fx

DEPTH, WIDTH, BLOCKS = 9, 160, 2
SHAPES = [(32, 1), (32, 2), (48, 1), (64, 1), (16, 4), (33, 1)]
_FILES = itertools.count()

ALONG = ("z[{k}, c]", "z[{k}, t]", "z[{k}, c] * x[u, {k}]", "x[5, {k}] * z[{k}, t + 17]")
SAME = ("x[u, {k}]", "z[{k}, 3]", "1.0", "F({k})")
APART = ("x[t, {k}]", "F(t % 3)", "z[(t + {k}) % 9, c]", "z[{k}, 150 - t]")  # of threads, in no row of memory
GUARDS = ("n > 3", "t < 20", "t < z.shape[1]", "t < z.shape[1]", "c < z.shape[1] - 1", "t < 16 * n", "z[0, 0] > 0.0")
CHANGES = ("{s} = {s} + {term}", "{s} = {s} + {term}", "{s} = {s} - {term}", "{s} = largest({s}, {term})")
RARE = (
    "{s} = {s} + {apart}",
    "if {guard}:\n    {s} = {s} + {term}",
    "if {k} % 2 == 0:\n    {s} = {s} + {term}",
    "for j in range(n):\n    {s} = {s} + z[j, c]",
)


def indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


def loop(rng: Random, sums: list[str], k: str) -> str:
    def change(ways: tuple[str, ...], s: str) -> str:
        term = rng.choice(SAME if rng.random() < 0.3 else ALONG).format(k=k)
        guard, apart = rng.choice(GUARDS), rng.choice(APART).format(k=k)
        return rng.choice(ways).format(s=s, k=k, term=term, guard=guard, apart=apart)

    lines = [change(CHANGES, s) for s in sums]
    if rng.random() < 0.25:
        lines.append(change(RARE, rng.choice(sums)))
    return f"for {k} in range({rng.choice(['n', '1, n', 'n - 1', 'u, n'])}):\n" + indented("\n".join(lines))


def program(rng: Random) -> tuple[tuple[int, int], int, str]:
    """The shape of a block, the number of sums, and the text of a body that stores each of them."""
    count = rng.choice([7, 8, 9, 12, 16, 28])
    sums = [f"s{i}" for i in range(count)]
    text = "".join(loop(rng, sums, k) for k in rng.choice(["k", "k", "km"]))
    if rng.random() < 0.6:
        text = f"if {rng.choice(GUARDS)}:\n" + indented(text)
    text = "".join(f"{s} = {rng.choice(['F(0)', 'z[1, c]', 'F(u)', 'x[u, 1]'])}\n" for s in sums) + text
    stores = "".join(f"y[{i}, fx.block_idx.x, t] = {s}\n" for i, s in enumerate(sums))
    if rng.random() < 0.25:
        stores = f"if {rng.choice(GUARDS)}:\n" + indented(stores)
    places = "t, u = fx.thread_idx.x + fx.thread_idx.y * ROW, fx.thread_idx.y\nc = t + fx.block_idx.x * 2\n"
    return rng.choice(SHAPES), count, places + text + stores


def load(text: str, folder: Path, row: int) -> ModuleType:
    path = folder / f"sums_{next(_FILES)}.py"
    path.write_text("import flydsl.expr as fx\n\n\ndef body(x, y, z, n):\n" + indented(text))
    module = module_of(path)
    vars(module).update(ROW=row, F=fx.Float32, largest=lambda a, b: fx.max(a, fx.Float32(b)))
    return module


def by_python(module: ModuleType, shape: tuple[int, int], x: np.ndarray, y: np.ndarray, z: np.ndarray, n: int) -> None:
    """The body for each thread of each block."""
    vars(module).update(F=float, largest=max)
    for block, row, column in itertools.product(range(BLOCKS), range(shape[1]), range(shape[0])):
        thread = SimpleNamespace(x=column, y=row)
        module.fx = SimpleNamespace(thread_idx=thread, block_idx=SimpleNamespace(x=block))  # type: ignore[attr-defined]
        module.body(x, y, z, n)


def arrays(seed: int, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x, z, and where the sums go."""
    numbers = np.random.default_rng(seed)
    x, z = (numbers.integers(-2, 3, size).astype(np.float32) for size in ((WIDTH, DEPTH), (DEPTH, 2 * WIDTH)))
    return x, z, np.full((count, BLOCKS, WIDTH), 77, np.float32)


def prepared(seed: int, folder: Path) -> tuple[Any, tuple[Any, ...]]:
    """The program of a seed as a `@jit` function, and arguments: random numbers, its sums, how many turns."""
    (shape, count, text), n = _program_of(seed)
    x, z, found = arrays(seed, count)
    return _host(load(text, folder, shape[0]), shape), (x, found, z, n)


def check(seed: int, folder: Path) -> None:
    """The program of a seed, on random numbers."""
    (shape, count, text), n = _program_of(seed)
    module = load(text, folder, shape[0])
    x, z, found = arrays(seed, count)
    expected = found.astype(np.float64)
    _host(module, shape)(x, found, z, n)
    by_python(module, shape, x.astype(np.float64), expected, z.astype(np.float64), n)
    np.testing.assert_array_equal(found, expected, f"seed {seed}: {shape}, n = {n}\n{text}")


def _program_of(seed: int) -> tuple[tuple[tuple[int, int], int, str], int]:
    rng = Random(seed)
    return program(rng), rng.randrange(DEPTH + 1)


def _host(module: ModuleType, shape: tuple[int, int]) -> Any:
    body = module.body

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor, n: fx.Int32):
        body(x, y, z, n)

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor, n: fx.Int32):
        kernel(x, y, z, n).launch(grid=BLOCKS, block=shape)

    return host
