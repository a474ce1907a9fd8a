"""Lowered layout algebra computes at run time what `flydsl.layout` computes on integers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pass_programs import LOWERING, Kernel, contents, execute, op_names, tensor
from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, i32, i64

import flydsl.layout as fl
from flydsl.base.errors import IRError, LayoutError
from flydsl.ir.fly.attributes import GLOBAL
from flydsl.ir.fly.infer import evaluate
from flydsl.ir.fly.types import MemRefType
from flydsl.layout import leaf
from flydsl.passes.registry import run as run_passes


def numbers(*values: int) -> DenseArrayBase:
    return DenseArrayBase.from_list(i32, values)


class Known(fl.Dyn):
    """A dynamic leaf with a value: the algebra treats it as unknown and computes with it all the same."""

    __slots__ = ("value",)

    def make(self, op: str, a: Any, b: Any, width: int, div: int) -> fl.Dyn:
        names = {"min": "minimum", "max": "maximum"}
        value = plain(a) if op == "extend" else getattr(leaf, names.get(op, op))(plain(a), plain(b))
        return known(width, div, value)


def known(width: int, div: int, value: Any) -> Known:
    found = Known(width, div)
    object.__setattr__(found, "value", value)
    return found


def plain(value: Any) -> Any:
    return value.value if isinstance(value, Known) else value


DEPENDS_ON_VALUES = {"make_layout_like", "recast_layout"}
"""Operations that look at static strides, so that the same numbers give another layout when they are dynamic."""
OPERATIONS: list[tuple[str, Any, dict[str, Any]]] = [
    ("coalesce", None, {}),
    ("make_layout_like", None, {}),
    ("composition", fl.parse_layout("6:1"), {}),
    ("composition", fl.parse_tile("[2|4]"), {}),
    ("logical_divide", fl.parse_tile("[2|4]"), {}),
    ("logical_divide", fl.parse_layout("4:1"), {}),
    ("zipped_divide", fl.parse_tile("[2|4]"), {}),
    ("tiled_divide", fl.parse_tile("[3|2]"), {}),
    ("flat_divide", fl.parse_tile("[4|3]"), {}),
    ("select", None, {"indices": numbers(1, 0)}),
    ("take", None, {"begin": IntegerAttr(1, i32), "end": IntegerAttr(2, i32)}),
    ("group", None, {"begin": IntegerAttr(0, i32), "end": IntegerAttr(2, i32)}),
    ("get", None, {"mode": numbers(1)}),
    ("append", fl.parse_layout("2:100"), {}),
    ("prepend", fl.parse_layout("2:100"), {}),
    ("blocked_product", fl.parse_layout("(2,3):(3,1)"), {}),
    ("logical_product", fl.parse_layout("2:1"), {}),
    ("recast_layout", None, {"old_type_bits": IntegerAttr(32, i32), "new_type_bits": IntegerAttr(16, i32)}),
]


@st.composite
def layouts(draw: st.DrawFn) -> tuple[fl.Layout, fl.Layout, list[int]]:
    """A layout of two modes, the same with some leaves dynamic, and the values of those."""
    extents, strides = st.sampled_from([1, 4, 6, 8, 12]), st.integers(1, 40)
    nested = draw(st.booleans())
    shape: Any = ((draw(extents), draw(extents)), draw(extents)) if nested else (draw(extents), draw(extents))
    stride: Any = ((draw(strides), draw(strides)), draw(strides)) if nested else (draw(strides), draw(strides))
    values: list[int] = []

    def hidden(leaf: int) -> Any:
        if not draw(st.booleans()):
            return leaf
        values.append(leaf)
        div = draw(st.sampled_from([d for d in (1, 2, 4) if leaf % d == 0]))
        return fl.Dyn(draw(st.sampled_from([32, 64])), div)

    pattern = fl.Layout(fl.map_leaves(hidden, shape), fl.map_leaves(hidden, stride))
    return fl.Layout(shape, stride), pattern, values


def concrete(name: str, layout: fl.Layout, operand: Any, attributes: dict[str, Any]) -> Any:
    return evaluate(f"fly.{name}", [layout] if operand is None else [layout, operand], attributes)


def index_table(name: str, pattern: fl.Layout, operand: Any, attributes: dict[str, Any], count: int) -> Kernel:
    """A kernel that stores the index at every coordinate of the result of an operation."""
    out = MemRefType(i64, GLOBAL, fl.Layout(count, 1))
    leaves = [*fl.leaves(pattern.shape), *fl.leaves(pattern.stride)]
    k = Kernel(out, *[i32 if leaf.width == 32 else i64 for leaf in leaves])
    layout = k.layout(pattern, *k.args[1:])
    operands = [layout] if operand is None else [layout, k.static(operand)]
    result = k.fly(name, *operands, **attributes)
    for i in range(count):
        value = k.fly("get_scalar", k.fly("crd2idx", k.static(i), result))
        wide = value if value.type == i64 else k.op(arith.ExtSIOp, [value], i64)
        k.effect("memref.store", wide, k.args[0], k.static(i))
    return k


@pytest.mark.parametrize(("name", "operand", "attributes"), OPERATIONS)
@given(case=layouts())
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
def test_index_of_every_coordinate(
    name: str, operand: Any, attributes: dict[str, Any], case: tuple[fl.Layout, fl.Layout, list[int]]
) -> None:
    layout, pattern, values = case
    try:
        expected = concrete(name, layout, operand, attributes)
        numbered = iter(values)
        valued = [fl.map_leaves(lambda x: _valued(x, numbered), part) for part in (pattern.shape, pattern.stride)]
        oracle = concrete(name, fl.Layout(*valued), operand, attributes)
        count = min(24, fl.size(expected))  # type: ignore[type-var]
        k = index_table(name, pattern, operand, attributes, count)
    except (LayoutError, IRError):
        assume(False)
        return
    module = k.module()
    run_passes(module, LOWERING)
    assert {op for op in op_names(module) if op.startswith("fly.")} <= {
        *("fly.make_int_tuple", "fly.add_offset", "fly.ptr.store")
    }
    kinds = [*fl.leaves(pattern.shape), *fl.leaves(pattern.stride)]
    out = tensor(np.zeros(count, np.int64), k.types[0], fl.Layout(count, 1))  # type: ignore[arg-type]
    scalars = [(value, i32 if kind.width == 32 else i64) for value, kind in zip(values, kinds, strict=True)]
    execute(module, [out, *scalars])
    found = contents(out[0].iter, np.int64).tolist()
    assert found == [plain(oracle(i)) for i in range(count)]
    extents = values[: len(fl.leaves(pattern.shape))]
    if 1 in extents:  # a static extent of 1 loses its stride, which a dynamic one cannot: another, equally valid layout
        return
    if name not in DEPENDS_ON_VALUES and (pattern.depth == 1 or fl.is_static(pattern.shape)):
        assert found == [expected(i) for i in range(count)]


def _valued(pattern: Any, values: Any) -> Any:
    return known(pattern.width, pattern.div, next(values)) if isinstance(pattern, fl.Dyn) else pattern


@pytest.mark.parametrize(
    "name", ["int_tuple_add", "int_tuple_sub", "int_tuple_mul", "int_tuple_div", "int_tuple_mod", "ceil_div"]
)
@given(a=st.integers(0, 1000), b=st.integers(1, 50), c=st.integers(1, 7))
@settings(max_examples=10, deadline=None)
def test_arithmetic_of_tuples(name: str, a: int, b: int, c: int) -> None:
    out = MemRefType(i64, GLOBAL, fl.Layout(2, 1))
    k = Kernel(out, i32, i64)
    left = k.coord((fl.Dyn(), fl.Dyn(64)), k.args[1], k.args[2])
    result = k.fly(name, left, k.static((c, c)))
    for i in range(2):
        value = k.fly("get_scalar", k.fly("get", result, mode=numbers(i)))
        wide = value if value.type == i64 else k.op(arith.ExtSIOp, [value], i64)
        k.effect("memref.store", wide, k.args[0], k.static(i))
    module = k.module()
    run_passes(module, LOWERING)
    target = tensor(np.zeros(2, np.int64), out, fl.Layout(2, 1))
    execute(module, [target, (a, i32), (b, i64)])
    expected = getattr(fl, name)((a, b), (c, c))
    assert tuple(contents(target[0].iter, np.int64).tolist()) == expected


@given(index=st.integers(0, 200), rows=st.integers(1, 12), columns=st.integers(1, 12))
@settings(max_examples=20, deadline=None)
def test_coordinates_of_an_index_compare_as_predicates(index: int, rows: int, columns: int) -> None:
    k = Kernel(MemRefType(i64, GLOBAL, fl.Layout(1, 1)), i32, i32, i32)
    layout = k.fly("make_layout_like", k.layout(fl.Layout((fl.Dyn(), fl.Dyn()), (1, 64)), k.args[2], k.args[3]))
    coord = k.fly("idx2crd", k.coord(fl.Dyn(), k.args[1]), layout)
    inside = k.fly("elem_less", coord, k.static((5, 7)))
    same = k.fly("equal", coord, k.static((3, 4)))
    both = k.op(arith.AddiOp, [k.op(arith.ExtUIOp, [flag], i64) for flag in (inside, same)], i64)
    k.effect("memref.store", both, k.args[0], k.static(0))
    module = k.module()
    run_passes(module, LOWERING)
    target = tensor(np.zeros(1, np.int64), k.types[0], fl.Layout(1, 1))  # type: ignore[arg-type]
    execute(module, [target, (index, i32), (rows, i32), (columns, i32)])
    row, column = index % rows, index // rows % columns
    assert contents(target[0].iter, np.int64)[0] == int(row < 5 and column < 7) + int((row, column) == (3, 4))


def test_leaves_beyond_32_bits_are_computed_in_64() -> None:
    k = Kernel(MemRefType(i64, GLOBAL, fl.Layout(1, 1)), i32, i64)
    layout = k.layout(fl.Layout((fl.Dyn(), 8), (fl.Dyn(64), 1)), k.args[1], k.args[2])
    index = k.fly("get_scalar", k.fly("crd2idx", k.coord((fl.Dyn(), 3), k.args[1]), layout))
    k.effect("memref.store", index, k.args[0], k.static(0))
    module = k.module()
    run_passes(module, LOWERING)
    target = tensor(np.zeros(1, np.int64), k.types[0], fl.Layout(1, 1))  # type: ignore[arg-type]
    execute(module, [target, (100_000, i32), (100_000, i64)])
    assert contents(target[0].iter, np.int64)[0] == 100_000 * 100_000 + 3


def test_nothing_is_emitted_that_nobody_needs() -> None:
    k = Kernel(i32)
    layout = k.layout(fl.Layout((fl.Dyn(), 8), (1, 64)), k.args[0])
    k.fly("logical_divide", layout, k.static(fl.parse_tile("[4|2]")))
    module = k.module()
    run_passes(module, LOWERING)
    assert op_names(module) == {"builtin.module", "gpu.module", "gpu.func", "gpu.return"}


def test_equal_values_are_emitted_once() -> None:
    k = Kernel(MemRefType(i64, GLOBAL, fl.Layout(2, 1)), i64)
    for place in range(2):
        total = k.fly("int_tuple_mul", k.coord(fl.Dyn(64), k.args[1]), k.static(6))
        k.effect("memref.store", k.fly("get_scalar", total), k.args[0], k.static(place))
    module = k.module()
    run_passes(module, LOWERING)
    assert [op.name for op in module.walk()].count("arith.muli") == 1
