"""SSA values become values of the language by their types."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import f32, i8, i32
from xdsl.ir import Block

import flydsl.expr as fx
from flydsl import layout as fl
from flydsl.base.errors import FrontendError
from flydsl.expr.values.wrap import box, payload_type
from flydsl.ir.parse import parse_type

COPY = "!fly.copy_atom<!fly.universal_copy<32>, 32>"
FMA = "!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>"


def value_of(text):
    return Block(arg_types=[parse_type(text)]).args[0]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("!fly.int_tuple<(4,?)>", fx.IntTuple),
        ("!fly.layout<(?,4):(4,1)>", fx.Layout),
        ("!fly.composed_layout<S<3,3,3> o ? o (8,64):(64,1)>", fx.ComposedLayout),
        ("!fly.memref<f32, global, (4,?):(1,4)>", fx.Tensor),
        ("!fly.coord_tensor<(0,0), (4,?):(1E0,1E1)>", fx.Tensor),
        ("!fly.ptr<f32, shared>", fx.Pointer),
        (COPY, fx.CopyAtom),
        (FMA, fx.MmaAtom),
        (f"!fly.tiled_mma<{FMA}, !fly.layout<(2,4,1):(1,2,0)>>", fx.TiledMma),
        ("vector<4xf32>", fx.Vector),
        ("i32", fx.Int32),
        ("f16", fx.Float16),
        ("i1", fx.Boolean),
    ],
)
def test_each_type_has_its_kind_of_value(text, kind):
    value = value_of(text)
    boxed = box(value)
    assert type(boxed) is kind
    assert boxed.ir_value() is value


@pytest.mark.parametrize(
    "text", ["!fly.int_tuple<(4,8)>", "!fly.layout<4:1>", "!fly.swizzle<S<3,3,3>>", "!fly.tile<[4]>"]
)
def test_a_value_whose_type_says_all_is_static(text):
    boxed = box(value_of(text))
    assert boxed.is_static
    assert boxed.__extract_to_ir_values__() == []
    assert str(payload_type(boxed.payload)) == text


def test_a_layout_with_dynamic_parts_keeps_its_payload():
    assert box(value_of("!fly.layout<(?,4):(4,1)>")).payload == fl.Layout((fl.Dyn(), 4), (4, 1))


@pytest.mark.parametrize(
    ("element", "dtype", "expected"),
    [
        (i32, None, fx.Int32),
        (i32, fx.Uint32, fx.Uint32),
        (i8, fx.Boolean, fx.Boolean),
        (f32, fx.Uint32, fx.Float32),
    ],
)
def test_elements_have_the_requested_type_where_it_fits(element, dtype, expected):
    assert box(value_of(f"!fly.ptr<{element}, global>"), dtype).dtype is expected
    assert box(value_of(f"!fly.memref<{element}, global, 4:1>"), dtype).dtype is expected


def test_vectors_know_their_shape_and_element_type():
    boxed = box(value_of("vector<2x4xf16>"))
    assert (tuple(boxed.shape), boxed.dtype) == ((2, 4), fx.Float16)


def test_other_types_have_no_counterpart():
    value = value_of("complex<f32>")
    with pytest.raises(FrontendError, match=r"a value of type complex<f32> has no counterpart in the language"):
        box(value)
