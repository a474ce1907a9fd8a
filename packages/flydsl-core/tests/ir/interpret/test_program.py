"""Functions of mixed IR as Python functions: control flow, waits, and the operation behind an error."""

from __future__ import annotations

from typing import Any

import pytest
from xdsl.ir import Operation

from flydsl.base.errors import IRError, KernelError
from flydsl.ir.interpret import HANDLERS
from flydsl.ir.interpret.program import Program, Wait, translate
from flydsl.ir.interpret.thread import Block, Thread
from flydsl.ir.parse import parse_module


def translated(text: str) -> Program:
    function = next(op for op in parse_module(text).walk() if op.name == "func.func")
    return translate(function, HANDLERS)


def called(text: str, *values: Any) -> list[Any]:
    return list(translated(text).call(Thread((0, 0, 0), 0, Block(), {}), *values))


@pytest.mark.parametrize(("a", "b"), [(100, 100), (-128, -1), (127, -128), (3, 5)])
def test_integers_wrap_in_the_text(a: int, b: int) -> None:
    found = called(
        """
        func.func @f(%a: i8, %b: i8) -> (i8, i8, i8, i1) {
          %0 = arith.addi %a, %b : i8
          %1 = arith.subi %a, %b : i8
          %2 = arith.muli %a, %b : i8
          %3 = arith.cmpi sle, %a, %b : i8
          func.return %0, %1, %2, %3 : i8, i8, i8, i1
        }
        """,
        a,
        b,
    )
    assert found == [(x + 128) % 256 - 128 for x in (a + b, a - b, a * b)] + [int(a <= b)]


def test_narrowed_indices_wrap() -> None:
    text = "func.func @f(%a: index) -> i32 { %0 = arith.index_cast %a : index to i32 func.return %0 : i32 }"
    assert [called(text, x) for x in (1 << 31, 7, -(1 << 33) - 1)] == [[-(1 << 31)], [7], [-1]]


LOOP = """
func.func @f(%low: index, %high: index, %step: index, %x: i32) -> (i32, i32) {
  %one = arith.constant 1 : i32
  %r:2 = scf.for %i = %low to %high step %step iter_args(%a = %x, %b = %one) -> (i32, i32) {
    %c = arith.addi %a, %b : i32
    scf.yield %b, %c : i32, i32
  }
  func.return %r#0, %r#1 : i32, i32
}
"""


@pytest.mark.parametrize(("turns", "expected"), [(0, [0, 1]), (1, [1, 1]), (5, [5, 8]), (10, [55, 89])])
def test_carried_values_of_a_loop_change_together(turns: int, expected: list[int]) -> None:
    assert called(LOOP, 0, 3 * turns, 3, 0) == expected


def test_steps_of_loops_are_positive() -> None:
    assert called(LOOP, 5, 2, -1, 0) == [0, 1]
    with pytest.raises(KernelError, match="a loop from 0 to 4 has the step 0, and steps are positive"):
        called(LOOP, 0, 4, 0, 0)


def test_a_while_loop_passes_its_values_on() -> None:
    text = """
    func.func @gcd(%x: i32, %y: i32) -> i32 {
      %zero = arith.constant 0 : i32
      %r:2 = scf.while (%a = %x, %b = %y) : (i32, i32) -> (i32, i32) {
        %more = arith.cmpi ne, %b, %zero : i32
        scf.condition(%more) %a, %b : i32, i32
      } do {
      ^bb0(%a: i32, %b: i32):
        %rest = arith.remsi %a, %b : i32
        scf.yield %b, %rest : i32, i32
      }
      func.return %r#0 : i32
    }
    """
    assert called(text, 84, 36) == [12]
    assert called(text, 7, 0) == [7]


def test_a_function_that_waits_is_a_generator() -> None:
    program = translated("func.func @f(%x: i32) -> i32 { gpu.barrier func.return %x : i32 }")
    assert program.waits
    run = program.call(Thread((0, 0, 0), 0, Block(), {}), 5)
    wait = next(run)
    assert isinstance(wait, Wait)
    assert wait.op.name == "gpu.barrier"
    with pytest.raises(StopIteration) as stop:
        next(run)
    assert stop.value.value == (5,)


def test_an_error_leads_to_its_operation() -> None:
    def failing(op: Operation) -> Any:
        return lambda thread, *values: 1 // 0

    body = "%0 = arith.addi %x, %x : i32 %1 = arith.divsi %0, %x : i32 func.return %1 : i32"
    text = f"func.func @f(%x: i32) -> i32 {{ {body} }}"
    function = next(op for op in parse_module(text).walk() if op.name == "func.func")
    program = translate(function, {**HANDLERS, "arith.divsi": failing})
    with pytest.raises(ZeroDivisionError) as caught:
        program.call(Thread((0, 0, 0), 0, Block(), {}), 5)
    operation = program.operation_at(caught.value.__traceback__)
    assert operation is not None
    assert operation.name == "arith.divsi"
    assert program.operation_at(None) is None
    assert program.name == "f"


def test_an_unknown_operation_is_refused_before_anything_runs() -> None:
    with pytest.raises(IRError, match="llvm.intr.bswap is not known to the interpreter; a target's own word runs on"):
        translated('func.func @f(%x: i32) { %0 = "llvm.intr.bswap"(%x) : (i32) -> i32 func.return }')
