"""Remembered results, and malformed arguments of every public function."""

from __future__ import annotations

import itertools
import random
from types import FunctionType

import pytest

import flydsl.layout as fl
from flydsl.base.errors import LayoutError
from flydsl.layout import Dyn, Layout, Tile, parse
from flydsl.layout.operation import operation

JUNK = [
    *(None, 0, 1, -1, 8, 2.0, True, 1 << 70, "4:1", b"x", [], [4], {}, object(), print),
    *((), (1, None), (4, 8.0), ((1, 2), 3)),
    *(fl.STAR, Dyn(), Dyn(64, 8), fl.Basis(1, (0,)), fl.Swizzle(1, 0, 1), fl.CoordSwizzle(1, 0, (0,), 0, (1,))),
    *(Layout(8), Layout((4, 8)), Layout((4, (2, 0)), (1, (0, 1))), Layout(Dyn(), Dyn(64)), Layout(4, -1)),
    *(Tile((4, None)), Tile((Layout(2), (2, 2)))),
    *(parse("S<1,0,1> o 0 o (4,8):(1,4)"), parse("(4,8):(1E0,1E1)"), parse("4:1 o ? o [8:1 o 0 o 8:1]")),
]

FUNCTIONS = {
    1: """coalesce coprofile coshape cosize depth flatten int_tuple_product int_tuple_product_each is_static leaves
        left_inverse make_fragment_layout_like make_identity_layout make_layout make_layout_like rank right_inverse size
        complement parse""",
    2: """blocked_product ceil_div coalesce complement composition crd2idx dice elem_less equal flat_divide flat_product
        get get_1d_coord get_flat_coord idx2crd int_tuple_add int_tuple_div int_tuple_mod int_tuple_mul
        int_tuple_product_like int_tuple_sub logical_divide logical_product make_layout make_layout_tv
        make_ordered_layout raked_product select shape_div slice slice_ tiled_divide tiled_product zipped_divide
        zipped_product append prepend""",
    3: "append group make_composed_layout prepend recast_layout take tile_to_shape",
}
CASES = [(name, count) for count, names in FUNCTIONS.items() for name in names.split()]


@pytest.mark.parametrize(("name", "count"), CASES)
def test_any_argument_gives_a_result_or_a_layout_error(name: str, count: int) -> None:
    function = getattr(fl, name)
    combinations = list(itertools.product(JUNK, repeat=count))
    if count == 3:
        combinations = random.Random(name).sample(combinations, 4000)
    for arguments in combinations:
        try:
            function(*arguments)
        except LayoutError as error:
            assert error.op  # noqa: PT017
            assert error.condition  # noqa: PT017


@operation
def doubled(layout: Layout, times: int = 2) -> Layout:
    calls.append(times)
    return Layout(layout.shape * times)


calls: list[int] = []


def test_a_result_is_remembered_per_value_and_type_of_its_arguments() -> None:
    calls.clear()
    assert doubled(Layout(4)) is doubled(Layout(4))
    doubled(Layout(4), times=3)
    doubled(Layout(4), times=3)
    assert calls == [2, 3]
    with pytest.raises(LayoutError):
        doubled(Layout(4), 3.0)


def test_the_plain_function_stays_available() -> None:
    calls.clear()
    assert doubled.__wrapped__(Layout(4)) == doubled.__wrapped__(Layout(4))
    assert calls == [2, 2]
    assert doubled.__name__ == "doubled"


def test_wrong_numbers_of_arguments_are_named() -> None:
    with pytest.raises(LayoutError, match="missing"):
        fl.composition(Layout(4))
    with pytest.raises(LayoutError, match="positional"):
        fl.right_inverse(Layout(4), 1, 2)


def test_a_float_is_refused_though_it_equals_a_remembered_integer() -> None:
    fl.complement(Layout(4), 64)
    fl.logical_divide(Layout((4, 8)), (2, 4))
    with pytest.raises(LayoutError):
        fl.complement(Layout(4), 64.0)
    with pytest.raises(LayoutError):
        fl.logical_divide(Layout((4, 8)), (2, 4.0))
    with pytest.raises(LayoutError):
        fl.logical_divide(Layout((4, 8)), [2, 4])


def test_every_exported_function_is_tried_with_malformed_arguments() -> None:
    functions = {name for name, value in vars(fl).items() if isinstance(value, FunctionType) and name[0].islower()}
    tried = {name for name, _ in CASES} | {"map_leaves"} | {name for name in functions if name.startswith("parse")}
    assert functions == tried
