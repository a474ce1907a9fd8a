"""The types of values under one name."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.expr import typing
from flydsl.expr.values import operand_types


def test_each_class_and_function_is_the_one_of_the_language():
    names = {name for name in vars(typing) if not name.startswith("_") and not name.endswith(("Like", "Type"))}
    assert {"Tensor", "Layout", "Pointer", "Vector", "TiledMma", "Constexpr", "Tuple3D", "Float32x4"} <= names
    assert [name for name in names if getattr(typing, name) is not getattr(fx, name, None)] == []


def test_aliases_of_operands_are_those_of_the_annotations():
    names = {name for name in vars(typing) if name.endswith(("Like", "Type"))}
    assert {"CoordLike", "IntTupleLike", "LayoutLike", "ScalarLike", "TilerLike", "StorableType"} <= names
    assert [name for name in names if getattr(typing, name) is not getattr(operand_types, name)] == []


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (lambda: fx.make_layout(4, 1), typing.Layout),
        (lambda: fx.make_tile(4, 8), typing.Tile),
        (lambda: fx.make_shape(4, 8), typing.IntTuple),
        (lambda: fx.make_copy_atom(fx.UniversalCopy(32), 32), typing.CopyAtom),
    ],
)
def test_values_are_instances_of_the_types(make, kind):
    assert type(make()) is kind
