"""Vector classes of a fixed element type and shape."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError


def test_equal_vectors_are_one_class():
    assert fx.VectorAlias(fx.Float32, 4) is fx.VectorAlias(fx.Float32, (4,)) is fx.VectorAlias(fx.Float32, [4])
    assert fx.VectorAlias(fx.Float32, (2, 4)) is not fx.VectorAlias(fx.Float32, 8)


def test_a_class_has_the_shape_and_type_that_its_name_says():
    kind = fx.VectorAlias(fx.Float16, (2, 4))
    assert (kind.__name__, kind.shape, kind.dtype) == ("Float16x2x4", (2, 4), fx.Float16)
    assert str(kind.ir_type) == "vector<2x4xf16>"


@pytest.mark.parametrize(
    ("dtype", "lanes", "message"),
    [
        (int, 4, "a vector has elements of a numeric type such as fx.Float32, found <class 'int'>"),
        (fx.Numeric, 4, "a vector has elements of a numeric type"),
        (fx.Float32, 0, "a vector has at least one element, found 0"),
        (fx.Float32, (), r"a vector has at least one element, found \(\)"),
        (fx.Float32, (2, -1), "a vector has at least one element"),
    ],
)
def test_vectors_need_a_type_and_elements(dtype, lanes, message):
    with pytest.raises(FrontendError, match=message):
        fx.VectorAlias(dtype, lanes)


def test_values_come_from_numbers_sequences_and_vectors(computed):
    def make(x):
        ramp = fx.Int32x4([x, 1, 2, 3])
        return fx.Int32x4(x), ramp, fx.Float32x4(ramp), fx.VectorAlias(fx.Int32, (2, 2))(ramp).reshape(4)

    call = computed(make, fx.Int32)
    assert call(7) == [[7, 7, 7, 7], [7, 1, 2, 3], [7.0, 1.0, 2.0, 3.0], [7, 1, 2, 3]]
    assert [leaf.dtype for leaf in call.leaves] == [fx.Int32, fx.Int32, fx.Float32, fx.Int32]


def test_an_ssa_value_must_be_of_the_type(emitted):
    def use(x):
        vector = fx.full(4, x, fx.Int32)
        assert fx.Int32x4(vector.ir_value()).ir_value() is vector.ir_value()
        with pytest.raises(
            FrontendError, match="Float32x4 is of type vector<4xf32>, found a value of type vector<4xi32"
        ):
            fx.Float32x4(vector.ir_value())

    emitted(use, fx.Int32)


def test_counts_and_shapes_that_differ_are_refused(emitted):
    def use(x):
        with pytest.raises(FrontendError, match="Int32x4 has 4 elements, found 2"):
            fx.Int32x4([x, x])
        with pytest.raises(FrontendError, match=r"Int32x4 has shape \(4,\) and its own type, found 8 and None"):
            fx.Int32x4(x, 8)

    emitted(use, fx.Int32)


@pytest.mark.parametrize(
    ("kind", "size", "align"),
    [
        (fx.Float32x4, 16, 16),
        (fx.Float64x4, 32, 16),
        (fx.VectorAlias(fx.Float32, 3), 12, 4),
        (fx.Int4x2, 1, 1),
        (fx.Int8x2, 2, 2),
    ],
)
def test_sizes_are_those_of_the_elements_and_alignments_at_most_16(kind, size, align):
    assert (kind.__dsl_size_of__(), kind.__dsl_align_of__()) == (size, align)


def test_a_vector_is_made_again_from_its_ssa_value(emitted):
    def use(x):
        vector = fx.Float32x4(x)
        again = vector.__construct_from_ir_values__([vector.ir_value()])
        assert type(again) is fx.Float32x4
        assert again.ir_value() is vector.ir_value()

    emitted(use, fx.Float32)
