"""Loops and branches hand on undefined values where nobody reads them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Module = Callable[..., str]
After = Callable[..., str]

NAME = "cpu-drop-unused-values"
HEAD = "%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n%x = llvm.load %p : !llvm.ptr -> i32\n"
LOOP = """
  %r = "scf.for"(%c0, %x, %c1, %x) ({
  ^bb0(%i: i32, %u: i32):
    %v = arith.addi %i, READ : i32
    llvm.store %v, %p : i32, !llvm.ptr
    scf.yield %v : i32
  }) : (i32, i32, i32, i32) -> i32
"""
BRANCH = """
  %yes = arith.cmpi slt, %x, %c1 : i32
  %r = "scf.if"(%yes) ({
    scf.yield %x : i32
  }, {
    scf.yield %c1 : i32
  }) : (i1) -> i32
"""
WHILE = """
  %r = scf.while (%u = %x) : (i32) -> i32 {
    %more = arith.cmpi slt, %x, %c1 : i32
    scf.condition(%more) READ : i32
  } do {
  ^bb0(%w: i32):
    scf.yield %w : i32
  }
"""


@pytest.mark.parametrize(
    ("control", "dropped"),
    [(LOOP.replace("READ", "%x"), 2), (BRANCH, 2), (WHILE.replace("READ", "%x"), 3)],
    ids=["for", "if", "while"],
)
def test_what_nobody_reads_is_undefined(kernel_module: Module, after: After, control: str, dropped: int) -> None:
    text = after(kernel_module("%p: !llvm.ptr", HEAD + control), NAME)
    assert text.count('"ub.poison"') == dropped


@pytest.mark.parametrize("control", [LOOP.replace("READ", "%u"), BRANCH, WHILE.replace("READ", "%u")])
def test_what_is_read_stays(kernel_module: Module, after: After, control: str) -> None:
    text = kernel_module("%p: !llvm.ptr", HEAD + control + "llvm.store %r, %p : i32, !llvm.ptr")
    assert after(text, NAME) == after(text)
