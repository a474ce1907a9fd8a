"""Types of integer tuples: modes, leaves and what is known of them."""

from __future__ import annotations

import pytest

import flydsl.layout as fl
from flydsl.base.errors import IRError
from flydsl.ir.fly.types import BasisType, IntTupleType


def test_modes_and_depth() -> None:
    type_ = IntTupleType.get((4, (fl.Dyn(), None)))
    assert str(type_) == "!fly.int_tuple<(4,(?,*))>"
    assert (type_.rank, type_.depth, type_.is_leaf, type_.is_static) == (2, 2, False, False)
    assert type_.at(0) == IntTupleType(4)
    assert type_.at(1).rank == 2


def test_static_leaf_has_an_integer_and_other_leaves_have_none() -> None:
    assert IntTupleType(4).get_static_leaf_int == 4
    assert (IntTupleType(4).is_leaf_int, IntTupleType(fl.Dyn()).is_leaf_int) == (True, False)
    with pytest.raises(IRError, match=r"!fly.int_tuple<\?> is no static integer"):
        _ = IntTupleType(fl.Dyn()).get_static_leaf_int


def test_basis_leaf_has_the_type_of_its_basis_element() -> None:
    leaf = IntTupleType(fl.Basis(2, (0, 1)))
    assert leaf.is_leaf_basis
    assert leaf.get_leaf_as_basis == BasisType(fl.Basis(2, (0, 1)))
    assert leaf.get_leaf_as_basis.modes == (0, 1)
    with pytest.raises(IRError, match="!fly.int_tuple<4> is no basis element"):
        _ = IntTupleType(4).get_leaf_as_basis
