"""Whole tensors as vectors: loaded and stored in colexicographic order, in runs of neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pass_programs import LOWERING, Kernel, effect_of, memory, stages_of, values
from xdsl.dialects.builtin import VectorType, f32

import flydsl.layout as fl
from flydsl.base.errors import IRError
from flydsl.passes.registry import run as run_passes

L = fl.parse_layout


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
