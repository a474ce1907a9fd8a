"""Canonicalization folds, shares and erases without changing results."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pass_programs import op_names
from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseArrayBase, FunctionType, IntegerAttr, ModuleOp, StringAttr, i1, i32, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from flydsl.ir.interpret import run as interpret
from flydsl.ir.parse import parse_module, verify
from flydsl.passes.registry import run as run_passes

BINARY = [
    *(arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.DivSIOp, arith.RemSIOp, arith.FloorDivSIOp, arith.CeilDivSIOp),
    *(
        arith.MinSIOp,
        arith.MaxSIOp,
        arith.AndIOp,
        arith.OrIOp,
        arith.XOrIOp,
        arith.ShLIOp,
        arith.ShRUIOp,
        arith.ShRSIOp,
    ),
]
SHIFTS = (arith.ShLIOp, arith.ShRUIOp, arith.ShRSIOp)


def simplified(text: str, passes: str = "canonicalize") -> Operation:
    module = parse_module(text)
    run_passes(module, passes)
    verify(module)
    return module


def count(module: Operation, name: str) -> int:
    return sum(op.name == name for op in module.walk())


@st.composite
def programs(draw: st.DrawFn) -> tuple[ModuleOp, list[int]]:
    """A function of three numbers that returns everything it computes."""
    block = Block(arg_types=[i32, i64, i1])
    pool: dict[Any, list[SSAValue]] = {i32: [block.args[0]], i64: [block.args[1]], i1: [block.args[2]]}

    def add(op: Operation) -> None:
        block.add_op(op)
        pool[op.results[0].type].append(op.results[0])

    for _ in range(draw(st.integers(1, 14))):
        type_ = draw(st.sampled_from([i32, i64]))
        kind = draw(st.sampled_from(["constant", "binary", "compare", "select", "cast"]))
        pick = lambda t: draw(st.sampled_from(pool[t]))  # noqa: E731
        if kind == "constant":
            value = draw(st.sampled_from([0, 1, -1, 2, 5, 8, -7, 31]))
            add(arith.ConstantOp.create(result_types=[type_], properties={"value": IntegerAttr(value, type_)}))
        elif kind == "binary":
            op_class = draw(st.sampled_from(BINARY))
            right = pick(type_)
            if op_class in SHIFTS or "Div" in op_class.__name__ or "Rem" in op_class.__name__:
                value = draw(st.sampled_from([1, 2, 3, 7]))
                add(arith.ConstantOp.create(result_types=[type_], properties={"value": IntegerAttr(value, type_)}))
                right = pool[type_][-1]
            add(op_class.create(operands=[pick(type_), right], result_types=[type_]))
        elif kind == "compare":
            predicate = {"predicate": IntegerAttr(draw(st.integers(0, 9)), i64)}
            add(arith.CmpiOp.create(operands=[pick(type_), pick(type_)], result_types=[i1], properties=predicate))
        elif kind == "select":
            add(arith.SelectOp.create(operands=[pick(i1), pick(type_), pick(type_)], result_types=[type_]))
        else:
            op_class, source, target = draw(
                st.sampled_from([(arith.ExtSIOp, i32, i64), (arith.TruncIOp, i64, i32), (arith.ExtUIOp, i1, i32)])
            )
            add(op_class.create(operands=[pick(source)], result_types=[target]))
    results = [value for values in pool.values() for value in values]
    block.add_op(ReturnOp(*results))
    type_ = FunctionType.from_lists([i32, i64, i1], [value.type for value in results])
    properties = {"function_type": type_, "sym_name": StringAttr("f")}
    function = FuncOp.create(regions=[Region(block)], properties=properties)
    arguments = [draw(st.integers(-100, 100)), draw(st.integers(-(1 << 40), 1 << 40)), draw(st.integers(0, 1))]
    return ModuleOp([function]), arguments


@given(program=programs())
@settings(max_examples=150, deadline=None)
def test_random_integer_programs_keep_their_results(program: tuple[ModuleOp, list[int]]) -> None:
    module, arguments = program
    function = module.body.block.first_op
    assert function is not None
    expected = interpret(function, arguments)
    run_passes(module, "canonicalize")
    verify(module)
    assert interpret(function, arguments) == expected


@pytest.mark.parametrize("values", [("0.0", "-0.0"), ("0x7FC00000", "0xFFC00000")])
def test_zeros_and_nan_of_both_signs_stay_apart(values: tuple[str, str]) -> None:
    module = simplified(
        f"""
        func.func @f() -> (f32, f32, f32) {{
          %a = arith.constant {values[0]} : f32
          %b = arith.constant {values[1]} : f32
          %c = arith.constant {values[0]} : f32
          func.return %a, %b, %c : f32, f32, f32
        }}
        """
    )
    assert count(module, "arith.constant") == 2
    constants = [op.value.value.data for op in module.walk() if isinstance(op, arith.ConstantOp)]  # type: ignore[union-attr]
    assert [math.copysign(1, value) for value in constants] == [1, -1]


def test_equal_operations_are_shared_only_where_they_dominate() -> None:
    module = simplified(
        """
        func.func @f(%c: i1, %x: i32) -> (i32, i32) {
          %r = scf.if %c -> (i32) {
            %a = arith.muli %x, %x : i32
            scf.yield %a : i32
          } else {
            %b = arith.muli %x, %x : i32
            %b2 = arith.muli %x, %x : i32
            %s = arith.addi %b, %b2 : i32
            scf.yield %s : i32
          }
          %d = arith.muli %x, %x : i32
          func.return %r, %d : i32, i32
        }
        """,
        "cse",
    )
    assert count(module, "arith.muli") == 3


def test_a_decided_branch_takes_the_place_of_the_if() -> None:
    module = simplified(
        """
        func.func @f(%x: i32) -> i32 {
          %c = arith.constant true
          %r = scf.if %c -> (i32) {
            %a = arith.addi %x, %x : i32
            scf.yield %a : i32
          } else {
            scf.yield %x : i32
          }
          %again = arith.addi %x, %x : i32
          %s = arith.subi %r, %again : i32
          func.return %s : i32
        }
        """
    )
    assert op_names(module) == {"builtin.module", "func.func", "arith.constant", "func.return"}  # type: ignore[arg-type]


def test_loops_lose_what_they_pass_on_unchanged() -> None:
    module = simplified(
        """
        func.func @f(%n: index, %x: i32, %y: i32) -> (i32, i32, i32) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y, %c = %y) -> (i32, i32, i32) {
            %s = arith.addi %a, %b : i32
            scf.yield %s, %b, %y : i32, i32, i32
          }
          func.return %r#0, %r#1, %r#2 : i32, i32, i32
        }
        """
    )
    (loop,) = [op for op in module.walk() if op.name == "scf.for"]
    assert len(loop.results) == 1
    assert loop.parent is not None
    returned = loop.parent.last_op
    function = module.regions[0].block.first_op
    assert function is not None
    arguments = function.regions[0].block.args
    assert returned is not None
    assert [returned.operands[1], returned.operands[2]] == [arguments[2], arguments[2]]


def test_effects_stay_and_unused_reads_go() -> None:
    module = simplified(
        """
        gpu.module @m { gpu.func @k(%p: !fly.ptr<f32, global>, %q: !fly.ptr<f32, global>) kernel {
          %a = fly.ptr.load(%p) : (!fly.ptr<f32, global>) -> f32
          %b = fly.ptr.load(%p) : (!fly.ptr<f32, global>) -> f32
          fly.ptr.store(%b, %q) : (f32, !fly.ptr<f32, global>) -> ()
          gpu.barrier
          gpu.return
        } }
        """
    )
    assert count(module, "fly.ptr.load") == 1
    assert count(module, "fly.ptr.store") == count(module, "gpu.barrier") == 1


def test_reads_are_not_shared_across_writes() -> None:
    module = simplified(
        """
        gpu.module @m { gpu.func @k(%p: !fly.ptr<f32, global>) kernel {
          %a = fly.ptr.load(%p) : (!fly.ptr<f32, global>) -> f32
          %s = arith.addf %a, %a : f32
          fly.ptr.store(%s, %p) : (f32, !fly.ptr<f32, global>) -> ()
          %b = fly.ptr.load(%p) : (!fly.ptr<f32, global>) -> f32
          %t = arith.mulf %b, %b : f32
          fly.ptr.store(%t, %p) : (f32, !fly.ptr<f32, global>) -> ()
          gpu.return
        } }
        """
    )
    assert count(module, "fly.ptr.load") == 2


@pytest.mark.parametrize("value", ["1.5", "0x7FC00000"])
def test_float_constants_are_shared(value: str) -> None:
    module = simplified(
        f"""
        func.func @f() -> (f32, f32) {{
          %a = arith.constant {value} : f32
          %b = arith.constant {value} : f32
          func.return %a, %b : f32, f32
        }}
        """
    )
    assert count(module, "arith.constant") <= 2


def test_operations_that_differ_in_an_attribute_only_are_not_compared_with_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lanes, comparisons = 400, 0
    equal = DenseArrayBase.__eq__

    def counted(self: DenseArrayBase, other: object) -> bool:
        nonlocal comparisons
        comparisons += 1
        return equal(self, other)

    extracts = "\n".join(
        f'%{number} = "vector.extract"(%v) <{{static_position = array<i64: {number % lanes}>}}> '
        f': (vector<{lanes}xf32>) -> f32\n"llvm.store"(%{number}, %p) : (f32, !llvm.ptr) -> ()'
        for number in range(2 * lanes)
    )
    module = parse_module(f"func.func @f(%v: vector<{lanes}xf32>, %p: !llvm.ptr) {{\n{extracts}\nreturn\n}}")
    monkeypatch.setattr(DenseArrayBase, "__eq__", counted)
    run_passes(module, "canonicalize")
    assert count(module, "vector.extract") == lanes
    assert comparisons < 4 * lanes
