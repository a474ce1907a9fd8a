"""Types whose values can be stored in memory."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.expr.memory.storable import dsl_align_of, dsl_size_of, is_storable, peek_from_ptr, poke_into_ptr


@fx.struct
class Pair:
    small: fx.Int8
    wide: fx.Float64


@pytest.mark.parametrize(
    ("kind", "size", "align"),
    [
        (fx.Int8, 1, 1),
        (fx.Boolean, 1, 1),
        (fx.BFloat16, 2, 2),
        (fx.Float64, 8, 8),
        (fx.Array[fx.Float32, 5], 20, 4),
        (Pair, 16, 8),
        (fx.Align[fx.Int8, 16], 1, 16),
    ],
)
def test_sizes_and_alignments(kind, size, align):
    assert is_storable(kind)
    assert dsl_align_of(kind) == align
    assert dsl_size_of(kind) == size


class Own:
    """A type of a program's own, by its class methods."""

    @classmethod
    def __dsl_size_of__(cls):
        return 12

    @classmethod
    def __dsl_align_of__(cls):
        return 4

    @classmethod
    def __peek_from_ptr__(cls, ptr):
        return "read", ptr

    @classmethod
    def __poke_into_ptr__(cls, ptr, value):
        ptr.append(value)


def test_a_type_of_ones_own():
    assert (dsl_size_of(Own), peek_from_ptr(Own, "p")) == (12, ("read", "p"))
    memory = []
    poke_into_ptr(Own, memory, 5)
    assert memory == [5]


@pytest.mark.parametrize("kind", [int, "text", object()])
def test_other_types_have_none(kind):
    assert not is_storable(kind)
    with pytest.raises(FrontendError):
        dsl_size_of(kind)
