"""Decided branches and loop-carried values that never change."""

from __future__ import annotations

from xdsl.dialects import scf

from flydsl.ir.interpret import run
from flydsl.ir.parse import parse_module, verify
from flydsl.passes.folding.control import drop_invariant_arguments, inline_decided_if

CHOICE = """
func.func @f(%c: i1, %x: i32) -> i32 {
  %r = scf.if %c -> (i32) {
    %s = arith.addi %x, %x : i32
    scf.yield %s : i32
  } else {
    scf.yield %x : i32
  }
  return %r : i32
}
"""
LOOP = """
func.func @f(%x: i32, %y: i32) -> (i32, i32, i32) {
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  %one = arith.constant 1 : index
  %a, %b, %c = scf.for %i = %zero to %four step %one iter_args(%p = %x, %q = %y, %r = %x) -> (i32, i32, i32) {
    %s = arith.addi %q, %p : i32
    scf.yield %p, %s, %x : i32, i32, i32
  }
  return %a, %b, %c : i32, i32, i32
}
"""


def test_the_taken_branch_stands_in_place_of_the_choice() -> None:
    for condition, expected, moved in ((True, 10, ["arith.addi"]), (False, 5, [])):
        module = parse_module(CHOICE)
        (op,) = [op for op in module.walk() if isinstance(op, scf.IfOp)]
        assert [inner.name for inner in inline_decided_if(op, condition)] == moved
        verify(module)
        assert "scf.if" not in {inner.name for inner in module.walk()}
        assert run(module.body.block.first_op, [0, 5]) == [expected]


def test_a_choice_without_the_taken_branch_vanishes() -> None:
    module = parse_module("func.func @f(%c: i1) { scf.if %c { %x = arith.constant 1 : i32 } return }")
    (op,) = [op for op in module.walk() if isinstance(op, scf.IfOp)]
    assert inline_decided_if(op, False) == []
    verify(module)
    assert {inner.name for inner in module.walk()} == {"builtin.module", "func.func", "func.return"}


def test_values_that_every_iteration_passes_on_leave_the_loop() -> None:
    module = parse_module(LOOP)
    before = run(module.body.block.first_op, [3, 4])
    (loop,) = [op for op in module.walk() if isinstance(op, scf.ForOp)]
    drop_invariant_arguments(loop)
    verify(module)
    (loop,) = [op for op in module.walk() if isinstance(op, scf.ForOp)]
    assert len(loop.results) == 1
    assert before == run(module.body.block.first_op, [3, 4]) == [3, 16, 3]


def test_a_value_that_is_handed_one_that_leaves_the_loop_gets_what_replaces_it() -> None:
    module = parse_module(LOOP.replace("scf.yield %p, %s, %x", "scf.yield %p, %p, %q"))
    before = run(module.body.block.first_op, [3, 4])
    (loop,) = [op for op in module.walk() if isinstance(op, scf.ForOp)]
    drop_invariant_arguments(loop)
    verify(module)
    (loop,) = [op for op in module.walk() if isinstance(op, scf.ForOp)]
    assert len(loop.results) == 2
    assert before == run(module.body.block.first_op, [3, 4]) == [3, 3, 3]


def test_a_loop_whose_values_all_change_stays_as_it_is() -> None:
    module = parse_module(LOOP.replace("scf.yield %p, %s, %x", "scf.yield %s, %p, %q"))
    (loop,) = [op for op in module.walk() if isinstance(op, scf.ForOp)]
    drop_invariant_arguments(loop)
    assert loop.parent is not None
    assert len(loop.results) == 3
