"""Whole tensors as vectors: loaded and stored in colexicographic order, in runs of neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pass_programs import LOWERING, Kernel, effect_of, memory, stages_of, values
from xdsl.dialects.builtin import VectorType, f32

import flydsl.layout as fl
from flydsl.base.errors import IRError
from flydsl.ir.interpret import run as interpret
from flydsl.ir.parse import parse_module, verify
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


@pytest.mark.parametrize(
    ("base", "layout", "width"),
    [("?", "(4,3):(3,20)", 32), ("7", "5:-2", 32), ("?{i64}", "(2,2):(1,8)", 64), ("?", "(2,3):(?{i64},1)", 64)],
)
def test_a_tensor_of_integers_is_a_vector_of_its_coordinates(base: str, layout: str, width: int) -> None:
    tensor, size = f"!fly.coord_tensor<{base}, {layout}>", fl.size(L(layout))
    module = parse_module(
        f"""
        func.func @f(%b: i{64 if "64" in base else 32}, %s: i64) -> vector<{size}xi{width}> {{
          %base = fly.make_int_tuple({"%b" if "?" in base else ""}) : ({base_type(base)}) -> !fly.int_tuple<{base}>
          %shape = fly.static : !fly.int_tuple<{layout.split(":")[0]}>
          %stride = fly.make_int_tuple({"%s" if "?" in layout else ""})
            : ({"i64" if "?" in layout else ""}) -> !fly.int_tuple<{layout.split(":")[1]}>
          %layout = fly.make_layout(%shape, %stride)
            : (!fly.int_tuple<{layout.split(":")[0]}>, !fly.int_tuple<{layout.split(":")[1]}>) -> !fly.layout<{layout}>
          %t = fly.make_view(%base, %layout) : (!fly.int_tuple<{base}>, !fly.layout<{layout}>) -> {tensor}
          %r = fly.memref.load_vec(%t) : ({tensor}) -> vector<{size}xi{width}>
          return %r : vector<{size}xi{width}>
        }}
        """
    )
    start, stride = 1000 if "?" in base else 7, 1 << 40
    known = L(layout.replace("?{i64}", str(stride)))
    expected = [start + known(place) for place in range(size)]  # type: ignore[arg-type, operator]
    for passes in ("", "fly-rewrite-func-signature,fly-canonicalize,fly-layout-lowering,canonicalize"):
        run_passes(module, passes)
        verify(module)
        (function,) = module.body.ops
        assert interpret(function, [start, stride]) == [expected]


def base_type(base: str) -> str:
    return {"?": "i32", "?{i64}": "i64"}.get(base, "")


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
