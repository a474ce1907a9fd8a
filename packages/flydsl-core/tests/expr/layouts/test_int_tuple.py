"""Int tuples of the language: static ones need no trace, dynamic leaves are operands."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError


def test_a_static_int_tuple_needs_no_trace():
    t = fx.make_shape(2, (3, 4))
    assert t.is_static
    assert (t.rank, t.depth) == (2, 2)
    assert t.to_py_value() == (2, (3, 4))
    assert int(t[0]) == 2
    assert t.unpack() == (2, (3, 4))
    assert t[0].unpack() == 2
    assert fx.get_leaves(t) == [2, 3, 4]
    assert int(fx.size(t)) == 24
    assert fx.make_coord(None, 1).to_py_value() == (None, 1)


def test_dynamic_leaves_are_operands_in_order(emitted):
    def use(a, b):
        return fx.make_int_tuple((a, (4, b), fx.Int16(7)))

    run = emitted(use, fx.Int32, fx.Int64)
    assert run.names == ["fly.make_int_tuple"]
    assert "!fly.int_tuple<(?,(4,?{i64}),7)>" in run.ops[-1]
    assert not run.result.is_static


def test_leaves_take_part_in_arithmetic_as_scalars(emitted):
    def use(a):
        n = fx.make_int_tuple((a, 8))
        total = n[0] * 2 + n[1]
        assert total.dtype is fx.Int32
        assert (n[0] < 5).dtype is fx.Boolean
        assert fx.Float32(n[0]).dtype is fx.Float32
        assert (n[1] + 1).value == 9
        assert n[1] == 8
        return -n[0]

    assert emitted(use, fx.Int32).result.dtype is fx.Int32


def test_static_tuples_compare_as_a_whole_and_leaves_as_numbers():
    assert fx.make_shape(2, 3) == fx.make_shape(2, 3)
    assert fx.make_shape(2, 3) != fx.make_shape(3, 2)


def test_narrow_and_unsigned_scalars_become_32_or_64_bit_leaves(emitted):
    def use(a, b):
        return fx.make_int_tuple((a, b))

    run = emitted(use, fx.Uint8, fx.Uint64)
    assert run.names == ["arith.extui", "fly.make_int_tuple"]
    assert "(?,?{i64})" in run.ops[-1]


@pytest.mark.parametrize(
    "bad, message", [(True, "bool"), (1.5, "found 1.5"), ("x", "found 'x'"), (fx.Float32(1), "Float32")]
)
def test_what_is_no_integer_cannot_be_an_element(bad, message):
    with pytest.raises(FrontendError, match=message):
        fx.make_int_tuple((1, bad))


def test_a_tuple_is_no_number():
    with pytest.raises(FrontendError, match="needs a static leaf"):
        int(fx.make_shape(2, 3))
    with pytest.raises(FrontendError, match="needs a leaf"):
        fx.get_scalar(fx.make_shape(2, 3))
