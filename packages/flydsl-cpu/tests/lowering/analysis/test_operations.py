"""Purity of operations as the thread loops ask for it: their effects, and whether all threads get the same."""

from __future__ import annotations

import pytest
from xdsl.ir import Operation

from flydsl.ir.context import create_context
from flydsl.ir.parse import parse_module
from flydsl_cpu.lowering.analysis.operations import is_pure


def operation(text: str) -> Operation:
    """The last operation of a function of a condition, an i32 and an address."""
    source = f"""
      func.func @f(%c : i1, %x : i32, %p : !llvm.ptr) {{
        {text}
      }}
    """
    module = parse_module(source, create_context(), check=False)
    (function,) = module.body.block.ops
    last = function.regions[0].block.last_op
    assert last is not None
    return last


def choice(text: str) -> Operation:
    """An `scf.if` whose result is the i32 %r that `text` computes."""
    return operation(f"%v = scf.if %c -> (i32) {{ {text} scf.yield %r : i32 }} else {{ scf.yield %x : i32 }}")


@pytest.mark.parametrize(
    "text, pure",
    [
        ("%r = arith.addi %x, %x : i32", True),
        ("%r = llvm.getelementptr %p[%x] : (!llvm.ptr, i32) -> !llvm.ptr, f32", True),
        ('%r = "llvm.intr.expect"(%x, %x) : (i32, i32) -> i32', True),
        ("%r = vector.broadcast %x : i32 to vector<4xi32>", True),
        ("%r = llvm.load %p : !llvm.ptr -> i32", False),
        ('"llvm.intr.assume"(%c) : (i1) -> ()', False),
        ('"llvm.intr.trap"() : () -> ()', False),
        ('"gpu.barrier"() : () -> ()', False),
    ],
)
def test_operations_are_pure_as_the_table_of_effects_says(text: str, pure: bool) -> None:
    assert is_pure(operation(text)) == pure


def test_what_differs_between_threads_is_not_pure() -> None:
    assert not is_pure(operation("%r = gpu.thread_id x"))


def test_a_branch_is_as_pure_as_what_it_holds() -> None:
    assert is_pure(choice("%r = arith.addi %x, %x : i32"))
    assert not is_pure(choice("%r = llvm.load %p : !llvm.ptr -> i32"))
    assert not is_pure(choice("%t = gpu.thread_id x %r = arith.index_cast %t : index to i32"))


def test_a_loop_that_waits_for_memory_is_not_pure() -> None:
    text = """
      scf.while () : () -> () {
        %r = llvm.load %p : !llvm.ptr -> i1
        scf.condition(%r)
      } do {
        scf.yield
      }
    """
    assert not is_pure(operation(text))
