"""Every operation on dynamic leaves: the same function as the static answer, and the types that inference predicts."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from layout_strategies import (
    Concrete,
    erased_layout,
    image,
    injective_layouts,
    layouts,
    size,
    static_layout,
    with_dynamic_leaves,
)

import flydsl.layout as fl
from flydsl.base.errors import LayoutError
from flydsl.layout import Layout, Tile

UNARY = {
    "coalesce": fl.coalesce,
    "make_layout_like": fl.make_layout_like,
    "identity": lambda layout: Layout(layout.shape),
}


@given(st.sampled_from(sorted(UNARY)), injective_layouts(), st.data())
def test_shape_operations_on_dynamic_extents(op: str, layout: Layout, data: st.DataObject) -> None:
    function = UNARY[op]
    dynamic = data.draw(with_dynamic_leaves(layout, stride=False))
    found = function(dynamic)
    assert sorted(image(found)) == sorted(image(function(layout)))
    assert function(erased_layout(dynamic)) == erased_layout(found)


@given(layouts(), st.data())
def test_coalescing_dynamic_layouts_keeps_the_function(layout: Layout, data: st.DataObject) -> None:
    dynamic = data.draw(with_dynamic_leaves(layout))
    assert image(fl.coalesce(dynamic)) == image(layout)
    assert fl.coalesce(erased_layout(dynamic)) == erased_layout(fl.coalesce(dynamic))


@given(layouts(), layouts(), st.data())
def test_composition_with_dynamic_strides_on_the_left_is_the_composed_function(
    a: Layout, b: Layout, data: st.DataObject
) -> None:
    dynamic = data.draw(with_dynamic_leaves(a, shape=False))
    try:
        found = fl.composition(dynamic, b)
    except LayoutError:
        assume(False)
    assert image(static_layout(found)) == [a(b(i)) for i in range(size(b))]
    assert fl.composition(erased_layout(dynamic), b) == erased_layout(found)


powers_of_two = injective_layouts(powers_of_two=True)


@given(powers_of_two, powers_of_two, st.data())
def test_composition_with_dynamic_extents_on_the_left_is_the_composed_function(
    a: Layout, b: Layout, data: st.DataObject
) -> None:
    dynamic = data.draw(with_dynamic_leaves(a))
    found = fl.composition(dynamic, b)
    assert image(static_layout(found)) == [a(b(i)) for i in range(size(b))]
    assert fl.composition(erased_layout(dynamic), b) == erased_layout(found)


@given(powers_of_two, powers_of_two, st.data())
def test_composition_with_dynamic_leaves_on_the_right_is_the_composed_function(
    a: Layout, b: Layout, data: st.DataObject
) -> None:
    dynamic = data.draw(with_dynamic_leaves(b))
    found = fl.composition(a, dynamic)
    assert image(static_layout(found)) == [a(b(i)) for i in range(size(b))]
    assert fl.composition(a, erased_layout(dynamic)) == erased_layout(found)


@st.composite
def tiled_tensors(draw: st.DrawFn) -> tuple[Layout, Tile]:
    """A matrix with leaf modes and padded rows, and a tile that need not divide it."""
    rows, cols = draw(st.integers(1, 24)), draw(st.integers(1, 24))
    pitch = cols + draw(st.integers(0, 8))
    tile = Tile((draw(st.sampled_from([1, 2, 4, 8])), draw(st.sampled_from([1, 2, 4, 8]))))
    return Layout((rows, cols), (pitch, 1)), tile


@pytest.mark.parametrize("divide", [fl.logical_divide, fl.zipped_divide, fl.tiled_divide, fl.flat_divide])
@given(case=tiled_tensors(), data=st.data())
def test_divisions_of_dynamic_matrices(divide: object, case: tuple[Layout, Tile], data: st.DataObject) -> None:
    layout, tile = case
    dynamic = data.draw(with_dynamic_leaves(layout))
    found = divide(dynamic, tile)
    assert image(static_layout(found)) == image(divide(layout, tile))
    assert divide(erased_layout(dynamic), tile) == erased_layout(found)


@given(injective_layouts(), st.integers(1, 64), st.booleans())
def test_complements_in_a_dynamic_codomain(layout: Layout, codomain: int, wide: bool) -> None:
    found = fl.complement(layout, Concrete(codomain, 64 if wide else 32))
    assert image(static_layout(found)) == image(fl.complement(layout, codomain))


@given(injective_layouts(powers_of_two=True, limit=32), st.data())
def test_products_with_a_dynamic_repetition(block: Layout, data: st.DataObject) -> None:
    count = data.draw(st.sampled_from([1, 2, 4, 8]))
    found = fl.logical_product(block, Layout(Concrete(count)))
    assert image(static_layout(found)) == image(fl.logical_product(block, Layout(count)))


@given(layouts(), st.data())
def test_slices_keep_dynamic_leaves(layout: Layout, data: st.DataObject) -> None:
    assume(isinstance(layout.shape, tuple))
    dynamic = data.draw(with_dynamic_leaves(layout))
    coord = tuple(data.draw(st.sampled_from([None, 0])) for _ in layout)
    assert image(fl.slice_(dynamic, coord)) == image(fl.slice_(layout, coord))


@given(injective_layouts(gaps=False), st.sampled_from([2, 4]), st.data())
def test_recasting_dynamic_strides_that_divide(layout: Layout, factor: int, data: st.DataObject) -> None:
    narrow = fl.recast_layout(layout, 8 * factor, 8)
    assume(narrow.stride != layout.stride)
    dynamic = data.draw(with_dynamic_leaves(narrow, shape=False))
    try:
        found = fl.recast_layout(dynamic, 8, 8 * factor)
    except LayoutError:
        return
    assert image(static_layout(found)) == image(fl.recast_layout(narrow, 8, 8 * factor)) == image(layout)


@given(layouts())
def test_results_with_emitted_values_are_made_anew(layout: Layout) -> None:
    dynamic = Layout((4, Concrete(8)), (Concrete(16), Concrete(1)))
    first, second = fl.logical_divide(dynamic, Tile((2, 4))), fl.logical_divide(dynamic, Tile((2, 4)))
    assert first is not second
    assert first != second
    assert fl.coalesce(layout) is fl.coalesce(layout)


def test_a_swizzle_of_a_dynamic_index_is_asked_for_once() -> None:
    layout = fl.parse("S<3,4,3> o 0 o (64,64):(64,1)")
    assert fl.crd2idx((Concrete(5), 3), layout).value == layout((5, 3))
    assert str(fl.crd2idx((fl.Dyn(), 0), layout)) == "?{div=16}"
