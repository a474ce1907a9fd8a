"""Annotated loops with another inside: their last block is not merged with that one's, and the pragma is there."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Kernel = Callable[..., str]
Lower = Callable[..., str]

ROLLED = "{loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}"
NESTED = """
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %many = arith.constant 8 : i32
  scf.for %i = %zero to %many step %one : i32 {
    %next = arith.addi %i, %one : i32
    "llvm.store"(%next, %p) <{ordering = 0 : i64}> : (i32, !llvm.ptr) -> ()
    scf.for %j = %zero to %many step %one : i32 {
      "llvm.store"(%j, %p) <{ordering = 0 : i64}> : (i32, !llvm.ptr) -> ()
    } INNER
  } OUTER
"""


def text(outer: str, inner: str) -> str:
    return NESTED.replace("OUTER", outer).replace("INNER", inner)


@pytest.mark.parametrize(("outer", "inner", "held", "pragmas"), [
    ("", "", 0, 0),
    ("", ROLLED, 0, 1),
    (ROLLED, "", 1, 1),
    (ROLLED, ROLLED, 1, 2),
])  # fmt: skip
def test_the_assembler_is_told_of_both_loops(
    outer: str, inner: str, held: int, pragmas: int, kernel: Kernel, lower: Lower, ptx: Callable[..., str]
) -> None:
    module = kernel("%p: !llvm.ptr", text(outer, inner))
    assert lower(module).count("llvm.inline_asm") == held
    found = ptx(module)
    assert found.count('.pragma "nounroll"') == pragmas
    assert found.count("begin inline asm") == held
