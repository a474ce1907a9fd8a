"""Int tuples: structure and leaf-wise arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from layout_strategies import Concrete, extents, number, shapes

import flydsl.layout as fl
from flydsl.base.errors import LayoutError
from flydsl.layout import STAR, Dyn, IntTuple, parse
from flydsl.layout.int_tuple import checked, compact, congruent, text


@given(shapes())
def test_flatten_rank_and_depth_describe_the_nesting(shape: IntTuple) -> None:
    flat = fl.flatten(shape)
    assert fl.depth(flat) == min(1, fl.depth(shape))
    assert text(shape).replace("(", "").replace(")", "") == text(flat).replace("(", "").replace(")", "")
    assert fl.rank(shape) == (len(shape) if isinstance(shape, tuple) else 1)


@given(shapes())
def test_products_agree_with_numpy(shape: IntTuple) -> None:
    assert fl.int_tuple_product(shape) == np.prod(extents(shape))
    each = fl.int_tuple_product_each(shape)
    assert np.prod(each) == np.prod(extents(shape))
    assert fl.int_tuple_product_like(shape, each) == each


@given(shapes())
def test_compact_strides_enumerate_every_index_once(shape: IntTuple) -> None:
    flat_shape, flat_stride = extents(shape), extents(compact(shape))
    assert list(flat_stride) == [int(np.prod(flat_shape[:i])) for i in range(len(flat_shape))]
    assert congruent(shape, compact(shape))


@pytest.mark.parametrize(
    ("op", "a", "b", "result"),
    [
        ("int_tuple_add", "(1,(2,3))", "(10,(20,30))", "(11,(22,33))"),
        ("int_tuple_add", "(1,2,3)", "(10,20)", "(11,22,3)"),
        ("int_tuple_add", "0", "(10,20)", "(10,20)"),
        ("int_tuple_add", "1E1", "(10,20)", "(10,21)"),
        ("int_tuple_add", "1E0", "2E1E0", "(1,(2))"),
        ("int_tuple_sub", "(10,(20,30))", "(1,(2,3))", "(9,(18,27))"),
        ("int_tuple_mul", "(2,3)", "(?,?{div=4})", "(?{div=2},?{div=12})"),
        ("int_tuple_div", "(9,8)", "(2,4)", "(4,2)"),
        ("int_tuple_mod", "(9,8,7)", "(2,3)", "(1,2,7)"),
        ("ceil_div", "(128,100)", "(32,8)", "(4,13)"),
        ("ceil_div", "(?,100)", "(32,8)", "(?,13)"),
        ("shape_div", "(12,8)", "4", "(3,8)"),
        ("shape_div", "(2,8)", "4", "(1,4)"),
        ("shape_div", "(12,8,5)", "(4,8)", "(3,1,5)"),
        ("shape_div", "24", "(2,3)", "4"),
        ("int_tuple_product_like", "((2,3),4)", "(*,*)", "(6,4)"),
    ],
)
def test_binary_operations(op: str, a: str, b: str, result: str) -> None:
    assert text(getattr(fl, op)(parse(a), parse(b))) == result


@pytest.mark.parametrize(
    ("op", "a", "b"),
    [
        ("int_tuple_add", "1", "(10,20)"),
        ("int_tuple_mul", "(1,2)", "3"),
        ("int_tuple_div", "(1,2)", "(1,0)"),
        ("shape_div", "6", "4"),
        ("shape_div", "4", "(2,0)"),
        ("shape_div", "(4,8)", "(2,2,2)"),
        ("int_tuple_product_like", "(2,3)", "(1,2,3)"),
        ("elem_less", "(2,3)", "4"),
        ("int_tuple_mul", "(1,*)", "(1,2)"),
    ],
)
def test_inadmissible_operands_are_refused(op: str, a: str, b: str) -> None:
    with pytest.raises(LayoutError):
        getattr(fl, op)(parse(a), parse(b))


def test_comparisons_of_static_tuples_are_booleans() -> None:
    assert fl.elem_less((1, (2, 3)), (2, (3, 4))) is True
    assert fl.elem_less((1, (2, 3)), (2, (2, 4))) is False
    assert fl.equal((1, (2, 3)), (1, (2, 3))) is True
    assert fl.equal((1, (2, 3)), (1, 2, 3)) is False
    assert fl.equal((1, STAR), (1, None)) is True


def test_comparisons_fold_what_is_static() -> None:
    assert fl.elem_less((Dyn(), 5), (8, 5)) is False
    assert isinstance(fl.elem_less((Dyn(), 4), (8, 5)), Dyn)
    found = fl.elem_less((Concrete(7), Concrete(3)), (Concrete(8), 4))
    assert number(found) == 1


def test_leaves_are_the_dynamic_ones_in_order_inside_basis_strides_too() -> None:
    value = parse("(4,(?{i64},?E1),*)")
    assert [str(part) for part in fl.leaves(value)] == ["?{i64}", "?"]
    assert not fl.is_static(value)
    assert fl.is_static(parse("(4,(8,1E1),*)"))


def test_numpy_integers_are_taken_and_become_plain() -> None:
    found = checked("shape", (np.int64(4), (np.int32(2), 8)))
    assert found == (4, (2, 8))
    assert type(found[0]) is int


@pytest.mark.parametrize("bad", [1.0, True, "4", [4], (), (4, ()), None, (4, None), object(), (4, 2.5), {}])
def test_what_is_no_int_tuple_is_refused(bad: object) -> None:
    with pytest.raises(LayoutError):
        checked("op", bad)
