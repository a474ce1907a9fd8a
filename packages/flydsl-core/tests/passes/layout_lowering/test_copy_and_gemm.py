"""Copies and matrix products mean the same after every pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pass_programs import LOWERING, Kernel, copy_atom, effect_of, memory, values
from xdsl.dialects.builtin import f16, f32, i1, i32

import flydsl.layout as fl
from flydsl.base.errors import IRError
from flydsl.base.location import Location
from flydsl.ir import fly
from flydsl.ir.fly.attributes import (
    REGISTER,
    GemmTraversalOrder,
    GemmTraversalOrderAttr,
    MmaOperand,
    MmaOperandAttr,
)
from flydsl.ir.fly.types import (
    LayoutType,
    MmaAtomType,
    TiledMmaType,
    UniversalFMAType,
)
from flydsl.ir.location import set_location
from flydsl.passes.registry import run as run_passes

L = fl.parse_layout
STAR = fl.STAR


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("(4,3,2):(1,4,16)", "(4,3,2):(1,4,12)"),
        ("((2,2),(3,2)):((1,2),(4,20))", "((4,1),(2,3)):((1,0),(4,8))"),
        ("(4,6):(1,8)", "(4,(2,3)):(1,(12,4))"),
        # several atoms in the values: several calls
        ("((4,2),3):((1,16),32)", "((4,2),3):((1,4),8)"),
        ("(8,3):(1,8)", "((4,2),3):((1,12),24)"),
        ("(16):(1)", "((2,2,4)):((1,2,4))"),
    ],
)
def test_copy_moves_every_atom_to_its_place(source: str, target: str) -> None:
    src, dst = L(source), L(target)
    k = Kernel(memory(src), memory(dst))
    k.effect("copy", copy_atom(k, 128), *k.args)
    before = [values(fl.cosize(src)), np.zeros(fl.cosize(dst), np.float32)]  # type: ignore[arg-type]
    found = effect_of(k, before, [src, dst])[1]
    expected = before[1]
    for i in range(fl.size(src)):  # type: ignore[arg-type]
        expected[dst(i)] = before[0][src(i)]
    np.testing.assert_array_equal(found, expected)


def test_copy_through_registers_with_strided_values_is_gathered() -> None:
    src, strided = L("(4,2):(1,4)"), L("(4,2):(2,1)")
    k = Kernel(memory(src), memory(src))
    fragment = k.op(fly.MemrefAllocaOp, [k.static(strided)], memory(strided, space=REGISTER))
    atom = copy_atom(k, 128)
    k.effect("copy", atom, k.args[0], fragment)
    k.effect("copy", atom, fragment, k.args[1])
    before = [values(8), np.zeros(8, np.float32)]
    np.testing.assert_array_equal(effect_of(k, before, [src, src])[1], before[0])


def test_predicate_of_lower_rank_decides_about_whole_atoms() -> None:
    layout, flags = L("(4,3):(1,4)"), L("3:1")
    k = Kernel(memory(layout), memory(layout))
    pred = k.op(fly.MemrefAllocaOp, [k.static(flags)], memory(flags, i1, REGISTER))
    for place, flag in enumerate((1, 0, 1)):
        k.effect("memref.store", k.constant(flag, i1), pred, k.static(place))
    k.effect("copy", copy_atom(k, 128), *k.args, pred)
    before = [values(12), np.zeros(12, np.float32)]
    expected = before[0] * np.repeat([1, 0, 1], 4)
    np.testing.assert_array_equal(effect_of(k, before, [layout, layout])[1], expected)


@pytest.mark.parametrize(
    ("flags", "kept"),
    [
        ("((1,2),2):((0,1),2)", [1, 0, 0, 1]),
        ("((4,2),2):((0,1),2)", [1, 0, 0, 1]),
        ("(1,2):(0,1)", [1, 1, 0, 0]),
        ("((4,2),2):((0,0),1)", [1, 1, 0, 0]),
        ("((2,2),2):((0,1),2)", None),
    ],
)
def test_predicates_of_several_atoms(flags: str, kept: list[int] | None) -> None:
    layout, flag_layout = L("((4,2),2):((1,4),8)"), L(flags)
    k = Kernel(memory(layout), memory(layout))
    pred = k.op(fly.MemrefAllocaOp, [k.static(flag_layout)], memory(flag_layout, i1, REGISTER))
    for place, flag in enumerate((1, 0, 0, 1)[: fl.cosize(flag_layout)]):  # type: ignore[misc]
        k.effect(
            "memref.store",
            k.constant(flag, i1),
            k.fly("make_view", k.fly("get_iter", pred), k.static(L("4:1"))),
            k.static(place),
        )
    k.effect("copy", copy_atom(k, 128), *k.args, pred)
    if kept is None:
        with pytest.raises(IRError, match="extents after the first mode differ"):
            run_passes(k.module(), LOWERING)
        return
    before = [values(16), np.zeros(16, np.float32)]
    expected = before[0] * np.repeat(kept, 4)
    np.testing.assert_array_equal(effect_of(k, before, [layout, layout])[1], expected)


def test_offsets_of_copies_are_constants_after_one_dynamic_offset() -> None:
    whole = L("(4,8,?):(1,4,?{i64})")
    k = Kernel(memory(whole), memory(L("(4,8):(1,4)")), i32)
    mine = k.fly("slice", k.args[0], k.coord((STAR, STAR, fl.Dyn()), k.args[2]))
    k.effect("copy", copy_atom(k, 128), mine, k.args[1])
    module = k.module()
    run_passes(module, LOWERING)
    dynamic = [op for op in module.walk() if op.name == "fly.add_offset" and op.operands[1].type.value != 0]  # type: ignore[attr-defined]
    assert sum(bool(fl.leaves(op.operands[1].type.value)) for op in dynamic) == 1  # type: ignore[attr-defined]


FMA = MmaAtomType(UniversalFMAType(f32))
TILED_MMA = TiledMmaType(FMA, LayoutType(L("(4,2,1):(1,4,0)")))
OPERANDS = {name: MmaOperandAttr(MmaOperand(name)) for name in "abc"}


def matrix_product(m: int, n: int, k_extent: int, **attributes: Any) -> tuple[Kernel, list[fl.Layout]]:
    """c += a * b^T by 8 threads with one multiply-add each."""
    layouts = [
        fl.Layout((m, k_extent), (k_extent, 1)),
        fl.Layout((n, k_extent), (k_extent, 1)),
        fl.Layout((m, n), (n, 1)),
    ]
    k = Kernel(*(memory(layout) for layout in layouts), TILED_MMA)
    tiled, thread = k.args[3], k.coord(fl.Dyn(), k.index("thread_id"))
    parts = {
        name: k.fly("tiled_mma.partition", tiled, whole, thread, operand_id=OPERANDS[name])
        for name, whole in zip("abc", k.args, strict=False)
    }
    fragments = {
        name: k.fly("mma.make_fragment", tiled, part, operand_id=OPERANDS[name]) for name, part in parts.items()
    }
    atom = copy_atom(k, 32)
    for name, part in parts.items():
        k.effect("copy", atom, part, fragments[name])
    k.effect("gemm", tiled, fragments["c"], fragments["a"], fragments["b"], fragments["c"], **attributes)
    k.effect("copy", atom, fragments["c"], parts["c"])
    return k, layouts


@pytest.mark.parametrize("order", [None, *GemmTraversalOrder])
def test_matrix_product_in_every_order(order: GemmTraversalOrder | None) -> None:
    attributes = {} if order is None else {"traversalOrder": GemmTraversalOrderAttr(order)}
    m, n, extent = 8, 4, 3
    k, layouts = matrix_product(m, n, extent, **attributes)
    before = [
        np.random.default_rng(i).integers(-4, 5, fl.size(layout)).astype(np.float32) for i, layout in enumerate(layouts)
    ]
    found = effect_of(k, before, layouts, [(TILED_MMA, TILED_MMA)], threads=8)[2]
    a, b, c = (array.reshape(layout.shape) for array, layout in zip(before, layouts, strict=True))
    np.testing.assert_array_equal(found.reshape(m, n), a.astype(np.float64) @ b.T + c)


def test_traversal_layout_orders_the_atoms() -> None:
    k, _ = matrix_product(8, 4, 2)
    gemm = next(op for op in k.block.ops if op.name == "fly.gemm")
    order = k.static(L("(2,2,2):(4,2,1)"))
    order.owner.detach()  # type: ignore[union-attr]
    k.block.insert_op_before(order.owner, gemm)  # type: ignore[arg-type]
    gemm.operands = [*gemm.operands, order]
    module = k.module()
    run_passes(module, LOWERING)
    calls = [op for op in module.walk() if op.name == "fly.mma_atom_call"]
    assert len(calls) == 8
    assert [call.operands[1] is calls[0].operands[1] for call in calls[:2]] == [True, True]


def test_traversal_layout_must_visit_every_atom_once() -> None:
    k, _ = matrix_product(8, 4, 2)
    gemm = next(op for op in k.block.ops if op.name == "fly.gemm")
    order = k.static(L("4:1"))
    order.owner.detach()  # type: ignore[union-attr]
    k.block.insert_op_before(order.owner, gemm)  # type: ignore[arg-type]
    gemm.operands = [*gemm.operands, order]
    with pytest.raises(IRError, match="must visit each"):
        run_passes(k.module(), LOWERING)


def test_half_precision_copies_move_the_bits() -> None:
    layout = L("(8,2):(1,8)")
    k = Kernel(memory(layout, f16), memory(layout, f16))
    k.effect("copy", copy_atom(k, 128, 16), *k.args)
    before = [values(16).astype(np.float16), np.zeros(16, np.float16)]
    np.testing.assert_array_equal(effect_of(k, before, [layout, layout])[1], before[0])


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("(4,2):(1,4)", "(4,3):(1,4)", "extents after the first mode differ"),
        ("(4,2):(1,4)", "8:1", "differ in rank"),
        ("(4,2):(2,8)", "(4,2):(1,4)", "moves 128 contiguous bits"),
        ("(2,2):(1,4)", "(2,2):(1,4)", "source has 2 elements"),
        ("(4,?):(1,4)", "(4,2):(1,4)", "static shape"),
    ],
)
def test_copies_that_do_not_fit_are_errors_at_the_users_line(source: str, target: str, message: str) -> None:
    k = Kernel(memory(L(source)), memory(L(target)))
    set_location(k.effect("copy", copy_atom(k, 128), *k.args), Location("user.py", 12))
    with pytest.raises(IRError, match=message) as raised:
        run_passes(k.module(), LOWERING)
    assert "--> user.py:12" in str(raised.value)
