"""Swizzled tensors are read and written at the places their layout says."""

from __future__ import annotations

import numpy as np
from pass_programs import Kernel, copy_atom, effect_of, memory, values
from xdsl.dialects.builtin import IntegerAttr, i32

import flydsl.layout as fl

L = fl.parse_layout


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


def test_composed_offsets_end_in_the_pointer() -> None:
    base = fl.ComposedLayout(fl.Swizzle(1, 2, 3), 8, L("(4,2):(1,4)"))
    k = Kernel(memory(base), memory(L("(4,2):(1,4)")))
    k.effect("copy", copy_atom(k, 128), k.fly("decomposition", k.args[0]), k.args[1])
    before = [values(64), np.zeros(8, np.float32)]
    found = effect_of(k, before, [base, L("(4,2):(1,4)")])[1]
    assert found.tolist() == [before[0][base(i)] for i in range(8)]
