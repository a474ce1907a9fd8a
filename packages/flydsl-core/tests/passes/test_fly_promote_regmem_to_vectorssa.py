"""Register tensors become SSA values that structured control flow carries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pass_programs import STAGES, Kernel, contents, execute, op_names, stages_of, tensor
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, f32, i1, i32
from xdsl.ir import Block, Region

import flydsl.layout as fl
from flydsl.backend.pipeline import FLY_PIPELINE
from flydsl.base.errors import IRError
from flydsl.ir import fly
from flydsl.ir.fly.attributes import GLOBAL, REGISTER
from flydsl.ir.fly.types import MemRefType
from flydsl.ir.loop_annotations import LOOP_ANNOTATION, annotation_of, unrolling
from flydsl.ir.parse import parse_module
from flydsl.passes.registry import run as run_passes

L = fl.parse_layout
INDEX = IndexType()
VECTOR = fl.Layout(4, 1)
PROMOTE = "fly-promote-regmem-to-vectorssa"


def registers(k: Kernel, count: int) -> Any:
    layout = fl.Layout(count, 1)
    return k.op(fly.MemrefAllocaOp, [k.static(layout)], MemRefType(f32, REGISTER, layout))


def add_to(k: Kernel, fragment: Any, amount: Any) -> None:
    """fragment[i] += amount for every element."""
    whole = k.fly("memref.load_vec", fragment)
    k.effect("memref.store_vec", k.op(arith.AddfOp, [whole, amount], whole.type), fragment)


def nested(k: Kernel, arguments: list[Any], fill: Callable[[Block], list[Any]], end: Any = scf.YieldOp) -> Region:
    """A region of one block, filled by a function that returns what the terminator passes on."""
    block = Block(arg_types=arguments)
    with k.build.at(block):
        k.op(end, fill(block))
    return Region(block)


def outcome(k: Kernel, *arguments: Any) -> list[np.ndarray]:
    """The vector the kernel leaves in its second argument, at every stage."""
    found = []
    for name, module in stages_of(k.module()):
        source = tensor(np.arange(4, dtype=np.float32), k.types[0], VECTOR)  # type: ignore[arg-type]
        target = tensor(np.zeros(4, np.float32), k.types[1], VECTOR)  # type: ignore[arg-type]
        execute(module, [source, target, *arguments])
        found.append(contents(target[0].iter, np.float32))
        if name == STAGES[-2]:
            assert "fly.make_ptr" not in op_names(module)
    return found


def kernel(*extra: Any) -> Kernel:
    return Kernel(MemRefType(f32, GLOBAL, VECTOR), MemRefType(f32, GLOBAL, VECTOR), *extra)


@pytest.mark.parametrize("flag", [0, 1])
@pytest.mark.parametrize("has_else", [False, True])
def test_branches_that_write_give_results(flag: int, has_else: bool) -> None:
    k = kernel(i32)
    source, target, number = k.args
    fragment = registers(k, 4)
    k.effect("memref.store_vec", k.fly("memref.load_vec", source), fragment)
    one = k.fly("memref.load_vec", source)
    condition = k.fly("elem_less", k.static(0), k.coord(fl.Dyn(), number))

    def then(block: Block) -> list[Any]:
        add_to(k, fragment, one)
        return []

    def otherwise(block: Block) -> list[Any]:
        k.effect("memref.store", k.op(arith.SIToFPOp, [number], f32), fragment, k.static(2))
        return []

    regions = [nested(k, [], then), nested(k, [], otherwise) if has_else else Region()]
    k.op(scf.IfOp, [condition], regions=regions)
    k.effect("memref.store_vec", k.fly("memref.load_vec", fragment), target)
    base = np.arange(4, dtype=np.float32)
    expected = base * 2 if flag else np.array([0, 1, 0, 3], np.float32) if has_else else base
    for found in outcome(k, (flag, i32)):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("trips", [0, 1, 5])
def test_loops_carry_what_they_write(trips: int) -> None:
    k = kernel(INDEX)
    source, target, count = k.args
    total, unread = registers(k, 4), registers(k, 4)
    step = k.fly("memref.load_vec", source)
    k.effect("memref.store_vec", step, total)
    zero, one = (k.constant(value, INDEX) for value in (0, 1))

    def body(block: Block) -> list[Any]:
        inner = registers(k, 4)
        k.effect("memref.store_vec", k.fly("memref.load_vec", total), inner)
        add_to(k, inner, step)
        k.effect("memref.store_vec", k.fly("memref.load_vec", inner), total)
        k.effect("memref.store_vec", step, unread)
        return []

    k.op(scf.ForOp, [zero, count, one], regions=[nested(k, [INDEX], body)])
    k.effect("memref.store_vec", k.fly("memref.load_vec", total), target)
    for found in outcome(k, (trips, INDEX)):
        np.testing.assert_array_equal(found, np.arange(4, dtype=np.float32) * (trips + 1))


def test_a_loop_that_carries_more_keeps_its_annotation() -> None:
    k = kernel(INDEX)
    source, target, count = k.args
    total = registers(k, 4)
    step = k.fly("memref.load_vec", source)
    k.effect("memref.store_vec", step, total)
    zero, one = (k.constant(value, INDEX) for value in (0, 1))

    def body(block: Block) -> list[Any]:
        add_to(k, total, step)
        return []

    k.op(scf.ForOp, [zero, count, one], regions=[nested(k, [INDEX], body)])
    k.effect("memref.store_vec", k.fly("memref.load_vec", total), target)
    module = k.module()
    (loop,) = [op for op in module.walk() if isinstance(op, scf.ForOp)]
    loop.attributes[LOOP_ANNOTATION] = unrolling(1)
    run_passes(module, FLY_PIPELINE)
    (loop,) = [op for op in module.walk() if isinstance(op, scf.ForOp)]
    assert len(loop.results) > 0
    assert annotation_of(loop) == {LOOP_ANNOTATION: unrolling(1)}


def test_nested_control_flow_threads_through_every_level() -> None:
    k = kernel(INDEX)
    source, target, count = k.args
    total = registers(k, 4)
    step = k.fly("memref.load_vec", source)
    k.effect("memref.store_vec", step, total)
    zero, one, two = (k.constant(value, INDEX) for value in (0, 1, 2))

    def inner(block: Block) -> list[Any]:
        parity = k.op(arith.RemSIOp, [block.args[0], two], INDEX)
        odd = k.op(arith.TruncIOp, [k.op(arith.IndexCastOp, [parity], i32)], i1)

        def then(_: Block) -> list[Any]:
            add_to(k, total, step)
            return []

        k.op(scf.IfOp, [odd], regions=[nested(k, [], then), Region()])
        return []

    def outer(block: Block) -> list[Any]:
        k.op(scf.ForOp, [zero, count, one], regions=[nested(k, [INDEX], inner)])
        return []

    k.op(scf.ForOp, [zero, two, one], regions=[nested(k, [INDEX], outer)])
    k.effect("memref.store_vec", k.fly("memref.load_vec", total), target)
    for found in outcome(k, (5, INDEX)):
        np.testing.assert_array_equal(found, np.arange(4, dtype=np.float32) * (1 + 2 * 2))


def test_while_loops_carry_what_both_regions_write() -> None:
    k = kernel(i32)
    source, target, limit = k.args
    total = registers(k, 4)
    step = k.fly("memref.load_vec", source)
    k.effect("memref.store_vec", step, total)
    zero, one = k.constant(0), k.constant(1)

    def before(block: Block) -> list[Any]:
        add_to(k, total, step)
        going = k.fly("elem_less", k.coord(fl.Dyn(), block.args[0]), k.coord(fl.Dyn(), limit))
        return [going, block.args[0]]

    def after(block: Block) -> list[Any]:
        add_to(k, total, step)
        return [k.op(arith.AddiOp, [block.args[0], one], i32)]

    regions = [nested(k, [i32], before, scf.ConditionOp), nested(k, [i32], after)]
    k.op(scf.WhileOp, [zero], i32, regions=regions)
    k.effect("memref.store_vec", k.fly("memref.load_vec", total), target)
    for found in outcome(k, (3, i32)):
        np.testing.assert_array_equal(found, np.arange(4, dtype=np.float32) * (1 + 4 + 3))


def test_parts_are_extracted_and_inserted() -> None:
    k = kernel()
    source, target = k.args
    fragment = registers(k, 8)
    halves = k.fly("zipped_divide", fragment, k.static(fl.parse_tile("[4]")))
    low, high = (k.fly("slice", halves, k.static((fl.STAR, half))) for half in (0, 1))
    k.effect("memref.store_vec", k.fly("memref.load_vec", source), high)
    k.effect("memref.store_vec", k.fly("memref.load_vec", high), low)
    k.effect("memref.store", k.fly("memref.load", high, k.static(3)), low, k.static(0))
    k.effect("memref.store_vec", k.fly("memref.load_vec", low), target)
    for found in outcome(k):
        np.testing.assert_array_equal(found, [3, 1, 2, 3])


def test_loops_carry_parts_that_are_written_apart() -> None:
    """Filled and read as a whole, but updated in two halves: each half is a value of its own."""
    k = kernel(INDEX)
    source, target, count = k.args
    total = registers(k, 8)
    whole = k.fly("memref.load_vec", total)
    k.effect("memref.store_vec", k.op(arith.AddfOp, [whole, whole], whole.type), total)
    halves = k.fly("zipped_divide", total, k.static(fl.parse_tile("[4]")))
    low, high = (k.fly("slice", halves, k.static((fl.STAR, half))) for half in (0, 1))
    step = k.fly("memref.load_vec", source)
    for half in (low, high):
        k.effect("memref.store_vec", step, half)

    def body(block: Block) -> list[Any]:
        for half in (low, high):
            add_to(k, half, step)
        add_to(k, high, step)
        return []

    zero, one = (k.constant(value, INDEX) for value in (0, 1))
    k.op(scf.ForOp, [zero, count, one], regions=[nested(k, [INDEX], body)])
    k.effect("memref.store_vec", k.fly("memref.load_vec", total), registers(k, 8))
    k.effect(
        "memref.store_vec",
        k.op(arith.AddfOp, [k.fly("memref.load_vec", half) for half in (low, high)], step.type),
        target,
    )
    module = stages_of(k.module())[-1][1]
    (loop,) = [op for op in module.walk() if op.name == "scf.for"]
    assert [str(result.type) for result in loop.results] == ["vector<4xf32>", "vector<4xf32>"]
    assert "vector.insert_strided_slice" not in op_names(module)
    arguments: list[Any] = [tensor(np.arange(4, dtype=np.float32), k.types[0], VECTOR)]  # type: ignore[arg-type]
    arguments += [tensor(np.zeros(4, np.float32), k.types[1], VECTOR), (3, INDEX)]  # type: ignore[arg-type]
    execute(module, arguments)
    np.testing.assert_array_equal(contents(arguments[1][0].iter, np.float32), np.arange(4) * (1 + 3 + 1 + 6))


def test_dynamic_offsets_stay_in_memory() -> None:
    k = kernel(i32)
    source, target, place = k.args
    fragment = registers(k, 4)
    k.effect("memref.store_vec", k.fly("memref.load_vec", source), fragment)
    value = k.fly("memref.load", fragment, k.coord(fl.Dyn(), place))
    k.effect("memref.store", value, target, k.static(0))
    found = []
    for _, module in stages_of(k.module()):
        arguments: list[Any] = [tensor(np.arange(4, dtype=np.float32), k.types[0], VECTOR)]  # type: ignore[arg-type]
        arguments += [tensor(np.zeros(4, np.float32), k.types[1], VECTOR), (2, i32)]  # type: ignore[arg-type]
        execute(module, arguments)
        found.append(contents(arguments[1][0].iter, np.float32)[0])
    assert found == [2.0] * len(found)
    assert "fly.make_ptr" in op_names(module)


def test_recast_registers_stay_in_memory() -> None:
    module = parse_module(
        """
        gpu.module @kernels { gpu.func @k(%out: !fly.ptr<i32, global>) kernel {
          %p = fly.make_ptr() {dictAttrs = {allocSize = 2 : i64}} : () -> !fly.ptr<f32, register>
          %v = arith.constant dense<1.0> : vector<2xf32>
          fly.ptr.store(%v, %p) : (vector<2xf32>, !fly.ptr<f32, register>) -> ()
          %q = fly.recast_iter(%p) : (!fly.ptr<f32, register>) -> !fly.ptr<i32, register>
          %i = fly.ptr.load(%q) : (!fly.ptr<i32, register>) -> i32
          fly.ptr.store(%i, %out) : (i32, !fly.ptr<i32, global>) -> ()
          gpu.return
        } }
        """
    )
    run_passes(module, PROMOTE)
    assert {"fly.make_ptr", "fly.recast_iter", "fly.ptr.load"} <= op_names(module)


def test_narrow_floats_are_carried_as_integers() -> None:
    module = parse_module(
        """
        gpu.module @kernels { gpu.func @k(%v: vector<4xf8E4M3FN>, %out: !fly.ptr<f8E4M3FN, global>) kernel {
          %p = fly.make_ptr() {dictAttrs = {allocSize = 4 : i64}} : () -> !fly.ptr<f8E4M3FN, register>
          fly.ptr.store(%v, %p) : (vector<4xf8E4M3FN>, !fly.ptr<f8E4M3FN, register>) -> ()
          %w = fly.ptr.load(%p) : (!fly.ptr<f8E4M3FN, register>) -> vector<4xi8>
          fly.ptr.store(%w, %out) : (vector<4xi8>, !fly.ptr<f8E4M3FN, global>) -> ()
          gpu.return
        } }
        """
    )
    run_passes(module, PROMOTE)
    assert "fly.make_ptr" not in op_names(module)
    assert [str(op.results[0].type) for op in module.walk() if op.name == "arith.bitcast"] == ["vector<4xi8>"]


def test_an_allocation_needs_a_size() -> None:
    module = parse_module(
        """
        gpu.module @kernels { gpu.func @k() kernel {
          %p = fly.make_ptr() : () -> !fly.ptr<f32, register>
          gpu.return
        } }
        """
    )
    with pytest.raises(IRError, match="allocSize"):
        run_passes(module, PROMOTE)


def test_registers_of_one_iteration_cannot_reach_the_next() -> None:
    module = parse_module(
        """
        gpu.module @kernels { gpu.func @k(%n: index) kernel {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %p = fly.make_ptr() {dictAttrs = {allocSize = 2 : i64}} : () -> !fly.ptr<f32, register>
          %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %p) -> (!fly.ptr<f32, register>) {
            %q = fly.make_ptr() {dictAttrs = {allocSize = 2 : i64}} : () -> !fly.ptr<f32, register>
            %v = fly.ptr.load(%a) : (!fly.ptr<f32, register>) -> vector<2xf32>
            fly.ptr.store(%v, %q) : (vector<2xf32>, !fly.ptr<f32, register>) -> ()
            scf.yield %q : !fly.ptr<f32, register>
          }
          gpu.return
        } }
        """
    )
    with pytest.raises(IRError, match="make it before the loop"):
        run_passes(module, PROMOTE)
