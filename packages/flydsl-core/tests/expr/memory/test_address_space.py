"""Address spaces and the types of pointers into them."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.expr.memory.address_space import element_numeric, is_generic_address_space, pointer_type
from flydsl.ir.parse import parse_type


@pytest.mark.parametrize(
    ("space", "name"),
    [(fx.AddressSpace.Global, "global"), (fx.AddressSpace.Shared, "shared"), (fx.AddressSpace.Register, "register")],
)
def test_a_type_of_pointers(space, name):
    type_ = pointer_type(fx.Float16, space)
    assert str(type_) == f"!fly.ptr<f16, {name}>"
    assert is_generic_address_space(type_.space, space)
    assert element_numeric(type_) is fx.Float16
    assert str(pointer_type(fx.Float16, space, 16)) == f"!fly.ptr<f16, {name}, align<16>>"


def test_an_element_that_is_no_number_has_no_type():
    assert element_numeric(parse_type("!fly.ptr<vector<4xf32>, global>")) is None
