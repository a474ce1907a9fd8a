"""The code of a check does not depend on where Python keeps its objects."""

from __future__ import annotations

from collections.abc import Callable

from kernel_text import INDICES, load, store

ARGUMENTS = ", ".join(f"%a{i}: !llvm.ptr" for i in range(6))


def body() -> str:
    text = INDICES + "%four = arith.constant 4 : i32\n%row = arith.muli %t, %four : i32\n"
    for i in range(3):
        text += load(f"x{i}", f"%a{i}", "%row") + store(f"%x{i}", f"%a{i + 3}", "%row", f"out{i}")
    return text


def test_pairs_of_arguments_are_checked_in_the_order_of_their_accesses(
    kernel_module: Callable[..., str], thread_loops: Callable[[str], str]
) -> None:
    kept = []  # so that the next module is elsewhere in memory
    for i in range(4):
        kept += [bytearray(1000 + 48 * i), thread_loops(kernel_module(ARGUMENTS, body(), block=(64, 1, 1)))]
    assert len(set(kept[1::2])) == 1
    assert "llvm.ptrtoint" in kept[1]  # there is a check
