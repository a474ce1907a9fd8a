"""Loops that stage tiles prefetch what their next iteration reads, and nothing else."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable

import numpy as np
import pytest
from kernel_text import INDICES, SHARED, load, store

Compile = Callable[[str], Callable[..., None]]
Module = Callable[..., str]
Text = Callable[[str], str]

SIDE, STEPS = 16, 4  # threads of a tile along each side
ARGUMENTS = "%p: !llvm.ptr, %q: !llvm.ptr, %width: i32, %n: i32"
PREFETCH = re.compile(r'"llvm.intr.prefetch"\((%\w+)\).*')
LOOP_ATTRIBUTES = re.compile(r" \{(?:access_groups|loop_annotation) = .*?\}(?= :)")  # our parser does not read them
STAGE = load("x", "%p", "%at") + store("%x", "%s", "%t", "put")


def staged(stage: str = STAGE, barrier: str = "gpu.barrier", index: str = "%i") -> str:
    """%q = the sum over tiles of 16 x 16 elements, side by side in rows of %width, of the transposed tile."""
    return (
        INDICES
        + "%s = llvm.mlir.addressof @tile : !llvm.ptr\n"
        + f"""
      %side = arith.constant {SIDE} : i32
      %zero = arith.constant 0.0 : f32
      %x0 = arith.remsi %t, %side : i32
      %x1 = arith.divsi %t, %side : i32
      %back = arith.muli %x0, %side : i32
      %mirrored = arith.addi %back, %x1 : i32
      %r = "scf.for"(%c0, %n, %c1, %zero) ({{
      ^bb0(%i: i32, %sum: f32):
        %first = arith.muli {index}, %side : i32
        %row = arith.muli %x1, %width : i32
        %column = arith.addi %first, %x0 : i32
        %at = arith.addi %row, %column : i32
        {stage}
        {barrier}
        {load("y", "%s", "%mirrored")}
        %next = arith.addf %sum, %y : f32
        gpu.barrier
        scf.yield %next : f32
      }}) : (i32, i32, i32, f32) -> f32
    """
        + store("%r", "%q", "%t", "out")
    )


def test_the_next_tile_is_prefetched_line_by_line(
    compile_kernel: Compile, kernel_module: Module, thread_loops: Text
) -> None:
    text = thread_loops(kernel_module(ARGUMENTS, staged(), block=(SIDE * SIDE, 1, 1), symbols=SHARED))
    assert len(PREFETCH.findall(text)) == 1
    assert "cpu.ahead" not in text
    # Marks instead of prefetches show the addresses: the last element of each line, from the second tile on.
    marking = PREFETCH.sub(r'%mark = arith.constant 1.0 : f32\n"llvm.store"(%mark, \1) : (f32, !llvm.ptr) -> ()', text)
    marking = LOOP_ATTRIBUTES.sub("", marking)
    width = SIDE * (STEPS + 1)
    found, total = np.zeros((SIDE, width), np.float32), np.zeros((SIDE, SIDE), np.float32)
    steps = (ctypes.c_int32(width), ctypes.c_int32(STEPS))
    compile_kernel(marking)(found, total, *steps, block=(SIDE * SIDE, 1, 1))
    expected = np.zeros_like(found)
    expected[:, 2 * SIDE - 1 :: SIDE] = 1
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("guard", [False, True])
def test_sums_of_tiles_with_prefetches(
    compile_kernel: Compile, kernel_module: Module, rng: np.random.Generator, guard: bool
) -> None:
    """Nothing behind the last tile is touched, and conditions on loads are no obstacle."""
    stage = STAGE
    if guard:
        stage = (
            "%inside = arith.cmpi slt, %column, %width : i32\n"
            '%x = "scf.if"(%inside) ({\n'
            + load("loaded", "%p", "%at")
            + "scf.yield %loaded : f32\n}, {\nscf.yield %zero : f32\n}) : (i1) -> f32\n"
            + store("%x", "%s", "%t", "put")
        )
    width = SIDE * STEPS - (5 if guard else 0)
    x, total = rng.standard_normal((SIDE, width), dtype=np.float32), np.zeros((SIDE, SIDE), np.float32)
    kernel = compile_kernel(kernel_module(ARGUMENTS, staged(stage), block=(SIDE * SIDE, 1, 1), symbols=SHARED))
    kernel(x, total, ctypes.c_int32(width), ctypes.c_int32(STEPS), block=(SIDE * SIDE, 1, 1))
    tiles = np.pad(x.astype(np.float64), ((0, 0), (0, SIDE * STEPS - width))).reshape(SIDE, STEPS, SIDE)
    np.testing.assert_allclose(total, tiles.sum(axis=1).T, atol=1e-5)


@pytest.mark.parametrize(
    "body",
    [
        staged(index="%c1"),  # the same tile each time
        staged(load("j", "%q", "%at", "i32") + load("x", "%p", "%j") + store("%x", "%s", "%t", "put"), index="%c0"),
        staged(load("x", "%s", "%at") + store("%x", "%s", "%t", "put")),  # shared memory
        staged(barrier=""),  # nothing is staged: the load is behind no barrier but the last
    ],
    ids=["fixed", "gathered", "shared", "unstaged"],
)
def test_other_loads_are_not_prefetched(kernel_module: Module, thread_loops: Text, body: str) -> None:
    text = thread_loops(kernel_module(ARGUMENTS, body, block=(SIDE * SIDE, 1, 1), symbols=SHARED))
    assert not PREFETCH.findall(text)
    assert "cpu.ahead" not in text


@pytest.mark.parametrize("block", [(SIDE * SIDE, 1, 1), None])
def test_every_announcement_is_consumed(
    kernel_module: Module, thread_loops: Text, block: tuple[int, ...] | None
) -> None:
    assert "cpu.ahead" not in thread_loops(kernel_module(ARGUMENTS, staged(), block=block, symbols=SHARED))


def test_the_address_of_the_next_iteration_is_announced_behind_the_barrier(
    kernel_module: Module, after: Callable[..., str]
) -> None:
    passes = ("cpu-lower-shared-memory", "cpu-expand-index-operations", "cpu-insert-prefetches")
    text = after(kernel_module(ARGUMENTS, staged(), block=(SIDE * SIDE, 1, 1), symbols=SHARED), *passes)
    assert text.count('"cpu.ahead"') == 1
    assert text.index('"gpu.barrier"') < text.index('"cpu.ahead"') < text.rindex('"gpu.barrier"')
    stores = text[: text.index('"cpu.ahead"')].count('"llvm.store"')
    assert stores == 1  # the tile's, in front of the barrier
