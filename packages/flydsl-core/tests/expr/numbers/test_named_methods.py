"""Methods with MLIR's names, of scalars and vectors: results in Python's numbers, and the types that they refuse."""

from __future__ import annotations

import math

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError


def test_integers_are_resized_by_the_sign_that_the_name_says(computed) -> None:
    def use(x: fx.Int32, b: fx.Int8) -> object:
        narrow, index = x.trunci(fx.Int8.ir_type), x.index_cast(fx.Index.ir_type_of())
        return narrow.extsi(fx.Int32), narrow.extui(fx.Int32), b.extui(fx.Int64), index + 1

    assert computed(use, fx.Int32, fx.Int8)(0x1FE, -1) == [-2, 254, 255, 0x1FF]


def test_floats(computed) -> None:
    def use(x: fx.Float32) -> object:
        return x.rsqrt(), x.exp2(), x.addf(1.5), x.maximumf(3.0), x.minimumf(3.0)

    assert computed(use, fx.Float32)(4.0) == [0.5, 16, 5.5, 4, 3]


def test_vectors_have_the_same_methods(computed) -> None:
    def use(x: fx.Float32, i: fx.Int32) -> object:
        values, whole = fx.Vector.from_elements([x, x * 4]), fx.Vector.from_elements([i, i + 1])
        assert values.is_float
        assert not whole.is_float
        wide = whole.extsi(fx.Vector.make_type(2, fx.Int64))
        assert wide.dtype is fx.Int64
        assert values.truncf(fx.Vector.make_type(2, fx.Float16)).dtype is fx.Float16
        return [*values.rsqrt(), *values.addf(values), *values.maximumf(5.0), *whole.shrui(28), *wide.trunci(fx.Int16)]

    expected = [0.5, 0.25, 8, 32, 5, 16, 15, 15, -7, -6]
    assert computed(use, fx.Float32, fx.Int32)(4.0, -7) == expected


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda i, x: i.extsi(fx.Int16), r"extsi of Int32\(\?\) needs a wider integer type, found Int16; use .to\(\)"),
        (lambda i, x: i.trunci(fx.Int32), "needs a narrower integer type, found Int32"),
        (lambda i, x: x.extui(fx.Int64), "needs a wider integer type"),
        (lambda i, x: i.extf(fx.Float64), "needs a wider float type"),
        (lambda i, x: i.index_cast(fx.Int64), "index_cast is between Index and an integer type"),
    ],
)
def test_types_that_do_not_fit_are_refused(emitted, use, message: str) -> None:
    with pytest.raises(FrontendError, match=message):
        emitted(use, fx.Int32, fx.Float32)


def test_scalars_tell_their_ir_types(emitted) -> None:
    def use(x: fx.Int32) -> None:
        assert x.type == fx.Int32.ir_type
        assert fx.as_dsl_value(x) is x
        assert fx.as_dsl_value(x, fx.Uint32).dtype is fx.Uint32
        assert fx.Int32x4(x).shape == (4,)

    emitted(use, fx.Int32)


def test_a_static_root_is_that_of_the_number() -> None:
    assert math.isclose(float(fx.Float32(4.0).rsqrt().value), 0.5)
