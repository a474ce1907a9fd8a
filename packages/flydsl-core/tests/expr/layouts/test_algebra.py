"""The algebra on traced layouts: static operands give static results, dynamic ones compute the same."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
import flydsl.layout as fl

TWO_OPERANDS = {
    "composition": (((4, 8), (8, 1)), (16, 2)), "logical_divide": ((24, 3), (4, 1)), "zipped_divide": ((24, 3), (4, 2)),
    "tiled_divide": ((24, 3), (4, 1)), "flat_divide": ((24, 3), (6, 1)), "logical_product": ((4, 1), (3, 1)),
    "zipped_product": ((4, 1), (3, 1)), "flat_product": ((4, 1), (3, 2)),
    "blocked_product": (((2, 3), (1, 2)), ((4, 5), (1, 4))),
    "raked_product": (((2, 3), (1, 2)), ((4, 5), (1, 4))),
}  # fmt: skip


def made(shape, stride):
    return fx.make_layout(shape, stride)


@pytest.mark.parametrize("name", list(TWO_OPERANDS))
def test_static_layouts_give_what_the_algebra_gives(emitted, name):
    one, other = TWO_OPERANDS[name]
    run = emitted(lambda: getattr(fx, name)(made(*one), made(*other)))
    assert run.result.is_static
    assert run.result.payload == getattr(fl, name)(fl.Layout(*one), fl.Layout(*other))


@pytest.mark.parametrize(
    ("name", "expected"), [("coalesce", "24:1"), ("right_inverse", "24:1"), ("left_inverse", "24:1")]
)
def test_operations_of_one_layout(emitted, name, expected):
    result = emitted(lambda: getattr(fx, name)(made((4, 6), (1, 4)))).result
    assert str(result.payload) == expected


def test_a_complement_fills_the_codomain(emitted):
    assert str(emitted(lambda: fx.complement(made(4, 2), 24)).result.payload) == "(2,3):(1,8)"


def test_dynamic_extents_compute_the_index_of_the_divided_layout(computed):
    def index(n, i, j):
        layout = fx.make_layout(n, 3)
        return fx.get_scalar(fx.crd2idx((i, j), fx.zipped_divide(layout, 4)))

    call = computed(index, fx.Int32, fx.Int32, fx.Int32)
    for i in range(4):
        for j in range(5):
            assert call(20, i, j) == 3 * (i + 4 * j)


@pytest.mark.parametrize(
    ("name", "lhs", "rhs", "expected"),
    [
        ("int_tuple_add", (1, (2, 3)), (10, (20, 30)), (11, (22, 33))),
        ("int_tuple_sub", (5, 7), (1, 2), (4, 5)),
        ("int_tuple_mul", (2, 3), (4, 5), (8, 15)),
        ("int_tuple_div", (9, 8), (2, 4), (4, 2)),
        ("int_tuple_mod", (9, 8), (2, 3), (1, 2)),
        ("shape_div", (12, 3), 6, (2, 3)),
        ("ceil_div", (9, 8), (2, 4), (5, 2)),
    ],
)
def test_tuples_are_computed_mode_by_mode(emitted, name, lhs, rhs, expected):
    assert emitted(lambda: getattr(fx, name)(lhs, rhs)).result.to_py_value() == expected


def test_products_of_tuples(emitted):
    assert emitted(lambda: fx.int_tuple_product((2, (3, 4)))).result.to_py_value() == 24
    assert emitted(lambda: fx.int_tuple_product_each((2, (3, 4)))).result.to_py_value() == (2, 12)
