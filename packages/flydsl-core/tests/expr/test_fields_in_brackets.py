"""Record types in brackets: their fields, and names that are refused."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.expr.fields_in_brackets import fields_in_brackets


def test_fields_have_names_or_positions():
    assert fields_in_brackets("Struct", (slice("a", fx.Int32), fx.Float32), ()) == {"a": fx.Int32, "_1": fx.Float32}
    assert fields_in_brackets("Struct", fx.Int32, ()) == {"_0": fx.Int32}


def test_they_make_classes_of_their_own():
    pair = fx.Struct["left" : fx.Int32, fx.Float32]
    record = pair(left=1, _1=2.5)
    assert (record.left.value, record._1.value, tuple(pair.__annotations__)) == (1, 2.5, ("left", "_1"))
    assert pair is not fx.Struct["left" : fx.Int32, fx.Float32]
    assert fx.Union["i" : fx.Int32, "f" : fx.Float64].__dsl_size_of__() == 8
    with pytest.raises(TypeError, match="has its fields and takes no others"):
        pair[fx.Int32]


@pytest.mark.parametrize(
    "items, reason",
    [
        ((), "has no fields"),
        ((slice("a", fx.Int32), slice("a", fx.Int32)), "has two fields 'a'"),
        (slice("replace", fx.Int32), "has a reserved name 'replace'"),
        (slice("_x", fx.Int32), "has a reserved name '_x'"),
        (slice(3, fx.Int32), "takes fields as 'name': type"),
    ],
)
def test_wrong_fields_are_refused(items, reason):
    with pytest.raises(ValueError, match=reason):
        fx.Struct[items]


def test_records_of_two_types_are_never_equal():
    one, other = fx.Struct["a" : fx.Int32], fx.Struct["a" : fx.Int32]
    assert one(1) == one(1) != other(1)
    assert len({one(1): 1, other(1): 2}) == 2
    assert hash(one(1)) == hash(one(1))
    assert one(1) == (fx.Int32(1),)


def test_signatures_are_of_types_and_constants():
    from flydsl.compiler.protocol import cache_signature

    @fx.struct
    class Params:
        tile: fx.Constexpr[int]
        scale: fx.Float32

    assert cache_signature(Params(tile=3, scale=1.0)) == cache_signature(Params(tile=3, scale=2.0))
    assert cache_signature(Params(tile=3, scale=1.0)) != cache_signature(Params(tile=4, scale=1.0))
