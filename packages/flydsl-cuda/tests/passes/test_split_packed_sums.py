"""Sums of 16-bit integers are not packed."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

Kernel = Callable[..., str]
Ptx = Callable[..., str]
After = Callable[..., str]


@pytest.mark.parametrize(("operation", "element"), [("addi", "i16"), ("subi", "i16"), ("addi", "i32")])
def test_sums_of_small_integers_are_not_packed(kernel: Kernel, ptx: Ptx, operation: str, element: str) -> None:
    pointer = f"!fly.ptr<{element}, global, align<8>>"
    text = ptx(
        kernel(
            f"%p: {pointer}",
            f"""
            %x = fly.ptr.load(%p) : ({pointer}) -> vector<2x{element}>
            %c = arith.constant dense<1> : vector<2x{element}>
            %y = arith.{operation} %x, %c : vector<2x{element}>
            %v = vector.extract %y[0] : {element} from vector<2x{element}>
            fly.ptr.store(%v, %p) : ({element}, {pointer}) -> ()
            """,
        )
    )
    assert "x2" not in text.replace("v2.b32", "")
    assert re.search(rf"add\.s{element[1:]}\s+\S+, \S+, -?1;", text)


@pytest.mark.parametrize(
    ("type_", "count"), [("vector<4xi16>", 4), ("vector<4xi8>", 1), ("vector<2x2xi16>", 1), ("i16", 1)]
)
def test_which_sums_are_taken_apart(kernel: Kernel, after: After, type_: str, count: int) -> None:
    text = kernel(f"%a: {type_}, %b: {type_}", f'%s = "arith.addi"(%a, %b) : ({type_}, {type_}) -> {type_}')
    assert after(text, "nvvm-split-packed-sums").count('"arith.addi"') == count
