"""Exchanges of lanes: the instruction, its lane, and the group that it stays in."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

Kernel = Callable[..., str]
Ptx = Callable[..., str]
After = Callable[..., str]
Stored = Callable[..., tuple[str, str]]


def shuffle(mode: int, offset: str, width: int = 32, type_: str = "i32") -> str:
    return f"""
      %x = fly.ptr.load(%p) : (!fly.ptr<{type_}, global>) -> {type_}
      %one = arith.constant 1 : i32
      %o = {offset}
      %w = arith.constant {width} : i32
      %v, %ok = "gpu.shuffle"(%x, %o, %w) <{{mode = {mode} : i32}}> : ({type_}, i32, i32) -> ({type_}, i1)
    """


@pytest.mark.parametrize(
    ("mode", "name", "width", "clamp"),
    [
        (0, "bfly", 32, 31),
        (0, "bfly", 16, 4111),
        (1, "up", 32, 0),
        (1, "up", 8, 6144),
        (2, "down", 16, 4111),
        (3, "idx", 8, 6151),
    ],
)
def test_shuffles_stay_in_their_group(
    kernel: Kernel, ptx: Ptx, mode: int, name: str, width: int, clamp: int, stored: Stored
) -> None:
    text = ptx(kernel(*stored(shuffle(mode, "arith.constant 3 : i32", width))))
    assert re.findall(r"shfl\.sync\.(\w+)\.b32\s+\S+, \S+, (\w+), (\w+), (-?\d+)", text) == [
        (name, "3", str(clamp), "-1")
    ]


def test_shuffles_by_a_number_of_run_time_read_a_lane_of_the_group(kernel: Kernel, ptx: Ptx, stored: Stored) -> None:
    dynamic = ptx(kernel(*stored(shuffle(0, "arith.addi %x, %one : i32"))))
    assert "shfl.sync.idx.b32" in dynamic
    assert "%laneid" in dynamic
    assert "%laneid" not in ptx(kernel(*stored(shuffle(3, "arith.addi %x, %one : i32"))))


def test_shuffles_of_64_bits_are_two(kernel: Kernel, ptx: Ptx, stored: Stored) -> None:
    text = ptx(kernel(*stored(shuffle(0, "arith.constant 1 : i32", type_="f64"), type_="f64")))
    assert text.count("shfl.sync.bfly.b32") == 2


def test_the_pass_alone_leaves_no_shuffle(kernel: Kernel, after: After) -> None:
    exchange = '%v, %ok = "gpu.shuffle"(%x, %o, %w) <{mode = 0 : i32}> : (i32, i32, i32) -> (i32, i1)'
    text = kernel("%x: i32, %o: i32, %w: i32", exchange)
    assert "gpu.shuffle" in after(text)
    found = after(text, "nvvm-expand-shuffles")
    assert "gpu.shuffle" not in found
    assert found.count("llvm.nvvm.shfl.sync.idx.i32p") == 1
