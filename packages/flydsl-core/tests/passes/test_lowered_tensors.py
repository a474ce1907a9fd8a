"""Copies, vectors, swizzled tensors and matrix products mean the same after every pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pass_programs import Kernel, contents, execute, stages_of, tensor
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, VectorType, f16, f32, i1, i32

import flydsl.layout as fl
from flydsl.base.errors import IRError
from flydsl.base.location import Location
from flydsl.ir import fly
from flydsl.ir.fly.attributes import (
    GLOBAL,
    REGISTER,
    GemmTraversalOrder,
    GemmTraversalOrderAttr,
    MmaOperand,
    MmaOperandAttr,
)
from flydsl.ir.fly.types import (
    CopyAtomType,
    LayoutType,
    MemRefType,
    MmaAtomType,
    TiledMmaType,
    UniversalCopyType,
    UniversalFMAType,
)
from flydsl.ir.location import set_location
from flydsl.passes.registry import run as run_passes

L = fl.parse_layout
STAR = fl.STAR
LOWERING = "fly-rewrite-func-signature,fly-canonicalize,fly-layout-lowering"


def memory(layout: Any, element: Any = f32, space: Any = GLOBAL, **extra: Any) -> MemRefType:
    return MemRefType(element, space, layout, **extra)


def copy_atom(k: Kernel, bits: int, value_bits: int = 32) -> Any:
    type_ = CopyAtomType(UniversalCopyType(bits), value_bits)
    return k.op(fly.MakeCopyAtomOp, [], type_, attributes={"valBits": IntegerAttr(value_bits, i32)})


def effect_of(
    k: Kernel, arrays: list[np.ndarray], layouts: list[Any], extra: Any = (), **where: Any
) -> list[np.ndarray]:
    """What the kernel leaves in its tensors, which must be the same at every stage."""
    outcomes = []
    for _, module in stages_of(k.module()):
        arguments: list[Any] = [
            tensor(array.copy(), type_, layout)  # type: ignore[arg-type]
            for array, type_, layout in zip(arrays, k.types, layouts, strict=False)
        ]
        execute(module, [*arguments, *extra], **where)
        outcomes.append([contents(a[0].iter, array.dtype) for a, array in zip(arguments, arrays, strict=True)])
    for outcome in outcomes[1:]:
        for found, expected in zip(outcome, outcomes[0], strict=True):
            np.testing.assert_array_equal(found, expected)
    return outcomes[0]


def values(count: int) -> np.ndarray:
    return np.random.default_rng(count).standard_normal(count).astype(np.float32)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("(4,3,2):(1,4,16)", "(4,3,2):(1,4,12)"),
        ("((2,2),(3,2)):((1,2),(4,20))", "((4,1),(2,3)):((1,0),(4,8))"),
        ("(4,6):(1,8)", "(4,(2,3)):(1,(12,4))"),
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
    ("source", "target"),
    [
        ("((4,2),3):((1,16),32)", "((4,2),3):((1,4),8)"),
        ("(8,3):(1,8)", "((4,2),3):((1,12),24)"),
        ("(16):(1)", "((2,2,4)):((1,2,4))"),
    ],
)
def test_values_of_several_atoms_take_several_calls(source: str, target: str) -> None:
    src, dst = L(source), L(target)
    k = Kernel(memory(src), memory(dst))
    k.effect("copy", copy_atom(k, 128), *k.args)
    before = [values(fl.cosize(src)), np.zeros(fl.cosize(dst), np.float32)]  # type: ignore[arg-type]
    found = effect_of(k, before, [src, dst])[1]
    expected = before[1]
    for i in range(fl.size(src)):  # type: ignore[arg-type]
        expected[dst(i)] = before[0][src(i)]
    np.testing.assert_array_equal(found, expected)


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


@pytest.mark.parametrize(
    "text",
    ["8:1", "(2,4):(4,1)", "(4,2,3):(6,3,1)", "((4,1),2,1):((1,0),8,0)", "(3,5):(7,2)", "1:0", "(2,4):(0,1)"],
)
def test_vectors_hold_elements_in_colexicographic_order(text: str) -> None:
    layout = L(text)
    count = fl.size(layout)
    k = Kernel(memory(layout), memory(fl.Layout(count, 1)))
    k.effect("memref.store_vec", k.fly("memref.load_vec", k.args[0]), k.args[1])
    before = [values(fl.cosize(layout)), np.zeros(count, np.float32)]  # type: ignore[arg-type]
    found = effect_of(k, before, [layout, fl.Layout(count, 1)])[1]
    assert found.tolist() == [before[0][layout(i)] for i in range(count)]  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["8:1", "(2,4):(4,1)", "(4,2,3):(6,3,1)", "(3,5):(7,2)"])
def test_vectors_are_stored_in_colexicographic_order(text: str) -> None:
    layout = L(text)
    count = fl.size(layout)
    k = Kernel(memory(fl.Layout(count, 1)), memory(layout))
    k.effect("memref.store_vec", k.fly("memref.load_vec", k.args[0]), k.args[1])
    before = [values(count), np.zeros(fl.cosize(layout), np.float32)]  # type: ignore[arg-type]
    expected = before[1].copy()
    for i in range(count):  # type: ignore[arg-type]
        expected[layout(i)] = before[0][i]
    np.testing.assert_array_equal(effect_of(k, before, [fl.Layout(count, 1), layout])[1], expected)


def test_storing_to_aliased_elements_is_an_error() -> None:
    k = Kernel(memory(L("4:1")), memory(L("(2,2):(1,1)")))
    k.effect("memref.store_vec", k.fly("memref.load_vec", k.args[0]), k.args[1])
    with pytest.raises(IRError, match="share a place"):
        run_passes(k.module(), LOWERING)


SWIZZLED = fl.ComposedLayout(fl.Swizzle(2, 2, 3), 0, L("(8,16):(16,1)"))


def test_swizzled_tensors_keep_their_places() -> None:
    plain = L("(8,16):(16,1)")
    k = Kernel(memory(plain), memory(SWIZZLED), memory(plain))
    for name, divided in (("a", k.args[0]), ("b", k.args[2])):
        tiles = [k.fly("zipped_divide", t, k.static(fl.parse_tile("[1|4]"))) for t in (divided, k.args[1])]
        tiles = [k.fly("take", t, begin=IntegerAttr(0, i32), end=IntegerAttr(2, i32)) for t in tiles]
        k.effect("copy", copy_atom(k, 128), *(tiles if name == "a" else reversed(tiles)))
    before = [values(128), np.zeros(128, np.float32), np.zeros(128, np.float32)]
    found = effect_of(k, before, [plain, SWIZZLED, plain])
    np.testing.assert_array_equal(found[2], before[0])
    expected = np.zeros(128, np.float32)
    for i in range(128):
        expected[SWIZZLED(i)] = before[0][plain(i)]
    np.testing.assert_array_equal(found[1], expected)


def test_swizzle_is_computed_once_for_rows_a_period_apart() -> None:
    tall = fl.ComposedLayout(fl.Swizzle(2, 2, 3), 0, L("((16,3),16):((16,256),1)"))
    k = Kernel(memory(L("3:1"), i32), i32)
    for block in range(3):
        place = k.fly("crd2idx", k.coord(((fl.Dyn(), block), 4), k.args[1]), k.static(tall))
        k.effect("memref.store", k.fly("get_scalar", place), k.args[0], k.static(block))
    row = 9
    found = effect_of(k, [np.zeros(3, np.int32)], [L("3:1")], [(row, i32)])[0]
    assert found.tolist() == [tall(((row, block), 4)) for block in range(3)]
    module = k.block.parent_op().parent_op().parent_op()  # type: ignore[union-attr]
    assert [op.name for op in module.walk()].count("arith.xori") == 1  # type: ignore[union-attr]


def test_swizzled_vectors_are_read_granule_by_granule() -> None:
    row = fl.ComposedLayout(fl.Swizzle(2, 2, 3), 32, L("16:1"))
    k = vector_of_row(row)
    before = [values(64), np.zeros(16, np.float32)]
    found = effect_of(k, before, [row, L("16:1")])[1]
    assert found.tolist() == [before[0][row(i)] for i in range(16)]
    stages = stages_of(vector_of_row(row).module())
    loads = [op for op in stages[3][1].walk() if op.name == "fly.ptr.load"]
    assert {op.results[0].type for op in loads} == {VectorType(f32, [4])}


def vector_of_row(row: Any) -> Kernel:
    k = Kernel(memory(row), memory(L("16:1")))
    k.effect("memref.store_vec", k.fly("memref.load_vec", k.args[0]), k.args[1])
    return k


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


def test_register_tensors_need_a_static_layout() -> None:
    k = Kernel(memory(L("(4,?):(1,4)")))
    k.fly("make_fragment_like", k.args[0])
    with pytest.raises(IRError, match="static layout"):
        run_passes(k.module(), "fly-layout-lowering")


def test_fly_arguments_must_be_rewritten_first() -> None:
    k = Kernel(memory(L("(4,?):(1,4)")))
    k.fly("get_shape", k.args[0])
    module = k.module()
    with pytest.raises(IRError, match="run fly-rewrite-func-signature first"):
        run_passes(module, "fly-layout-lowering")


def test_composed_offsets_end_in_the_pointer() -> None:
    base = fl.ComposedLayout(fl.Swizzle(1, 2, 3), 8, L("(4,2):(1,4)"))
    k = Kernel(memory(base), memory(L("(4,2):(1,4)")))
    k.effect("copy", copy_atom(k, 128), k.fly("decomposition", k.args[0]), k.args[1])
    before = [values(64), np.zeros(8, np.float32)]
    found = effect_of(k, before, [base, L("(4,2):(1,4)")])[1]
    assert found.tolist() == [before[0][base(i)] for i in range(8)]


def test_coordinate_tensors_give_their_coordinates() -> None:
    k = Kernel(memory(L("2:1"), i32), i32, i32)
    coords = k.fly(
        "make_view", k.static((0, 0)), k.fly("make_identity_layout", k.coord((fl.Dyn(), fl.Dyn()), *k.args[1:]))
    )
    tile = k.fly(
        "slice",
        k.fly("flat_divide", coords, k.static(fl.parse_tile("[4|2]"))),
        k.coord((STAR, STAR, fl.Dyn(), fl.Dyn()), *k.args[1:]),
    )
    found = k.fly("memref.load", tile, k.static((3, 1)))
    for mode in range(2):
        part = k.fly("get_scalar", k.fly("get", found, mode=DenseArrayBase.from_list(i32, [mode])))
        k.effect("memref.store", part, k.args[0], k.static(mode))
    out = effect_of(k, [np.zeros(2, np.int32)], [L("2:1")], [(5, i32), (7, i32)])[0]
    assert out.tolist() == [5 * 4 + 3, 7 * 2 + 1]
