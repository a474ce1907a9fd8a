"""Records by the names of their classes, and questions about them."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.expr.struct import Align, Array, Struct, is_composite_type, is_specializable_struct_type, is_struct_type


def test_the_classes_decorate_as_the_functions_do():
    @fx.Struct
    class Pair:
        x: fx.Int32
        y: fx.Float32 = 2.0

    @fx.Union(align=16)
    class Either:
        whole: fx.Int64
        halves: fx.Array[fx.Int32, 2]

    assert Pair(1).replace(x=5) == (fx.Int32(5), fx.Float32(2.0))
    assert issubclass(Pair, Struct)
    assert (is_struct_type(Pair), is_struct_type(Either), is_composite_type(Either)) == (True, False, True)
    assert fx.dsl_align_of(Either) == 16
    with pytest.raises(FrontendError, match="memory only"):
        Either(3)


def test_a_struct_with_fields_that_only_a_value_describes_is_specializable():
    @fx.struct
    class View:
        data: fx.Tensor
        count: fx.Int32

    @fx.struct
    class Plain:
        count: fx.Int32
        items: Align[Array[fx.Int8, 3], 4]

    assert is_specializable_struct_type(View)
    assert not is_specializable_struct_type(Plain)
    assert not is_specializable_struct_type(fx.Int32)
