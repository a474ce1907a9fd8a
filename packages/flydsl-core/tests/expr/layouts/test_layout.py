"""Static layouts fold while tracing and never become operations; dynamic ones become one operation each."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError, LayoutError


def test_static_algebra_needs_no_trace():
    layout = fx.make_layout((4, 8), (8, 1))
    assert str(layout.payload) == "(4,8):(8,1)"
    assert (layout.rank, layout.depth) == (2, 1)
    assert int(layout(1, 2)) == 10
    assert layout.shape == fx.make_shape(4, 8)
    assert layout.stride == fx.make_stride(8, 1)
    assert str(layout[0].payload) == "4:8"
    assert str(fx.make_layout((2, 3)).payload) == "(2,3):(1,2)"
    assert int(fx.cosize(layout)) == 32
    assert str(fx.composition(layout, fx.make_tile(2, None)).payload) == "(2,8):(8,1)"
    assert str(fx.make_ordered_layout((2, 3), (1, 0)).payload) == "(2,3):(3,1)"
    assert fx.make_coord(1, 2).payload == fx.idx2crd(9, fx.make_layout((4, 8))).payload


def test_a_dynamic_layout_is_one_operation_with_an_inferred_type(emitted):
    def use(n):
        layout = fx.make_layout((n, 4), (4, 1))
        assert not layout.is_static_shape
        assert layout.is_static_stride
        assert layout.stride.is_static
        return fx.logical_divide(layout, fx.make_tile(None, 2))

    run = emitted(use, fx.Int32)
    assert run.names[:2] == ["fly.make_int_tuple", "fly.static"] or "fly.make_layout" in run.names
    assert run.names[-1] == "fly.logical_divide"
    assert "!fly.layout<(?,(2,2)):(4,(1,2))>" in run.ops[-1]


def test_dynamic_queries(emitted):
    def use(n, i):
        layout = fx.make_layout((n, 4), (4, 1))
        return [fx.size(layout), layout(i, 3), layout.shape[0], fx.elem_less((i, 0), layout.shape)]

    run = emitted(use, fx.Int32, fx.Int32)
    assert [r.is_static for r in run.result] == [False] * 4
    assert {"fly.size", "fly.crd2idx", "fly.get_shape", "fly.elem_less"} <= set(run.names)


def test_swizzles_and_composed_layouts():
    composed = fx.make_composed_layout(fx.static(fx.SwizzleType.get(3, 0, 3)), fx.make_layout((8, 8), (8, 1)))
    swizzle = composed.inner
    assert (swizzle.mask, swizzle.base, swizzle.shift) == (3, 0, 3)
    assert str(composed.outer.payload) == "(8,8):(8,1)"
    assert int(composed(3, 1)) == 3 * 8 + (1 ^ 3)


def test_a_tile_is_static(emitted):
    assert fx.make_tile(8, None, (2, fx.make_layout(4, 2))).rank == 3

    def use(n):
        with pytest.raises(FrontendError, match="a tile is static"):
            fx.make_tile(fx.make_int_tuple(n))

    emitted(use, fx.Int32)


def test_an_inadmissible_operation_names_op_operands_and_condition():
    with pytest.raises(LayoutError, match=r"composition\(\(4,6\):\(1,5\), 5:3\)"):
        fx.composition(fx.make_layout((4, 6), (1, 5)), fx.make_layout(5, 3))
