"""Loops over threads and lanes as one loop, against NumPy, and where they have to stay apart."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from kernel_text import INDICES, random

Compile = Callable[[str], Callable[..., None]]
Module = Callable[..., str]

BLOCK = 64
LOOP = "llvm.cond_br"


def vectors(lanes: int, body: str, *, stride: int | None = None) -> str:
    """`%z` is computed from `%x`, vectors of neighbouring threads; `%i` is the number of the first lane."""
    return f"""
      {INDICES}
      %lanes = arith.constant {lanes if stride is None else stride} : i32
      %i = arith.muli %t, %lanes : i32
      %from = llvm.getelementptr %p[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      %to = llvm.getelementptr %q[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      %x = llvm.load %from {{alignment = 4 : i64}} : !llvm.ptr -> vector<{lanes}xf32>
      {body}
      llvm.store %z, %to {{alignment = 4 : i64}} : vector<{lanes}xf32>, !llvm.ptr
    """


def first_lanes(lanes: int, limit: int, step: int = 1) -> str:
    """The vector where the number of the lane is below `limit`, else 0."""
    text = f"%limit = arith.constant {limit} : i32\n"
    for i in range(lanes):
        text += f"%d{i} = arith.constant {i * step} : i32\n%j{i} = arith.addi %i, %d{i} : i32\n"
        text += f"%k{i} = arith.cmpi slt, %j{i}, %limit : i32\n"
    inside = ", ".join(f"%k{i}" for i in range(lanes))
    types = ", ".join(["i1"] * lanes)
    return f"""
      {text}
      %inside = "vector.from_elements"({inside}) : ({types}) -> vector<{lanes}xi1>
      %none = arith.constant dense<0.0> : vector<{lanes}xf32>
      %z = "arith.select"(%inside, %x, %none)
        : (vector<{lanes}xi1>, vector<{lanes}xf32>, vector<{lanes}xf32>) -> vector<{lanes}xf32>
    """


SQUARES = "%z = arith.mulf %x, %x : vector<{}xf32>"
CASES: dict[str, tuple[int, str, bool, Callable[[np.ndarray], np.ndarray]]] = {
    "each lane by itself": (4, SQUARES.format(4), True, lambda x: x * x),
    "of three": (3, SQUARES.format(3), True, lambda x: x * x),
    "a uniform number": (
        4,
        """%c = arith.constant 3.0 : f32
      %s = "vector.broadcast"(%c) : (f32) -> vector<4xf32>
      %z = arith.mulf %x, %s : vector<4xf32>""",
        True,
        lambda x: 3 * x,
    ),
    "a number of the thread": (
        4,
        """%f = arith.sitofp %t : i32 to f32
      %s = "vector.broadcast"(%f) : (f32) -> vector<4xf32>
      %z = arith.mulf %x, %s : vector<4xf32>""",
        False,
        lambda x: x * (np.arange(len(x)) // 4),
    ),
    "different constants": (
        4,
        "%c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf32>\n%z = arith.mulf %x, %c : vector<4xf32>",
        False,
        lambda x: x * (np.arange(len(x)) % 4 + 1),
    ),
    "lanes turned": (
        4,
        '%z = "vector.shuffle"(%x, %x) <{mask = array<i64: 3, 2, 1, 0>}> '
        ": (vector<4xf32>, vector<4xf32>) -> vector<4xf32>",
        False,
        lambda x: x.reshape(-1, 4)[:, ::-1].ravel(),
    ),
    "lanes before a limit": (4, first_lanes(4, 101), True, lambda x: np.where(np.arange(len(x)) < 101, x, 0)),
    "lanes before a limit, by twos": (
        4,
        first_lanes(4, 101, 2),
        False,
        lambda x: np.where(np.arange(len(x)) + np.arange(len(x)) % 4 < 101, x, 0),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_flat_and_other_loops_against_numpy(
    compile_kernel: Compile, thread_loops: Callable[[str], str], kernel_module: Module, name: str
) -> None:
    lanes, body, flat, reference = CASES[name]
    text = kernel_module("%p: !llvm.ptr, %q: !llvm.ptr", vectors(lanes, body), block=(BLOCK, 1, 1))
    assert (f"value = {lanes * BLOCK} : i32" in thread_loops(text)) == flat
    x, z = random(lanes * BLOCK), np.zeros(lanes * BLOCK, np.float32)
    compile_kernel(text)(x, z, block=(BLOCK, 1, 1))
    np.testing.assert_allclose(z, reference(x.astype(np.float64)), rtol=1e-6)


def test_vectors_with_gaps_between_threads_stay_vectors(
    compile_kernel: Compile, thread_loops: Callable[[str], str], kernel_module: Module
) -> None:
    text = kernel_module("%p: !llvm.ptr, %q: !llvm.ptr", vectors(4, SQUARES.format(4), stride=6), block=(BLOCK, 1, 1))
    assert f"value = {4 * BLOCK} : i32" not in thread_loops(text)
    x, z = random(6 * BLOCK), np.zeros(6 * BLOCK, np.float32)
    compile_kernel(text)(x, z, block=(BLOCK, 1, 1))
    rows = z.reshape(BLOCK, 6)
    np.testing.assert_allclose(rows[:, :4], x.reshape(BLOCK, 6)[:, :4] ** 2, rtol=1e-6)
    assert not rows[:, 4:].any()


def test_blocks_of_any_size(compile_kernel: Compile, kernel_module: Module) -> None:
    text = kernel_module("%p: !llvm.ptr, %q: !llvm.ptr", vectors(4, SQUARES.format(4)))
    for block in (1, 7, 100):
        x, z = random(4 * block), np.zeros(4 * block + 8, np.float32)
        compile_kernel(text)(x, z, block=(block, 1, 1))
        np.testing.assert_allclose(z, np.concatenate([x * x, np.zeros(8)]), rtol=1e-6)
