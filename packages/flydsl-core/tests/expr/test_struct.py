"""Records by the names of their classes, and questions about them."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.compiler.protocol import cache_signature
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


def scaled_by(factor: int, dtype: Any = fx.Float32) -> Any:
    """A record as a factory makes it, new at each call."""

    @fx.struct
    class Scaled:
        value: dtype
        rows: fx.Constexpr[int] = 1

        def scaled(self) -> Any:
            return self.value * factor

    return Scaled


def test_fields_are_neither_assigned_nor_deleted() -> None:
    record = scaled_by(2)(1.0)
    with pytest.raises(FrozenInstanceError, match=r"immutable; make a new one with \.replace\(value="):
        record.value = 2.0
    with pytest.raises(FrozenInstanceError, match="immutable"):
        del record.value


def test_the_signature_of_a_record_is_its_definition() -> None:
    first = scaled_by(2)(1.0)
    assert type(first) is not type(scaled_by(2)(1.0))
    assert first.__cache_signature__() == cache_signature(scaled_by(2)(7.0))
    others = [scaled_by(3)(1.0), scaled_by(2, fx.Float16)(1.0), scaled_by(2)(1.0, rows=2)]
    assert len({record.__cache_signature__() for record in (first, *others)}) == 4


def test_a_captured_record_is_known_by_its_values() -> None:
    from flydsl.cache.dependencies import encode_value

    kind = fx.Struct["a" : fx.Int32]
    assert encode_value(kind(1)) == encode_value(fx.Struct["a" : fx.Int32](1))
    assert encode_value(kind(1)) != encode_value(kind(2))
