"""The layout value behind types, values and nested tuples of them."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from xdsl.dialects.builtin import f32

import flydsl.layout as fl
from flydsl.base.errors import FrontendError
from flydsl.ir.fly.types import IntTupleType, LayoutType
from flydsl.ir.fly.types.payload import payload


def test_payload_looks_through_types_values_and_tuples() -> None:
    value = SimpleNamespace(payload=fl.Dyn())
    assert payload((IntTupleType(4), [value, None], 8)) == (4, (fl.Dyn(), fl.STAR), 8)
    assert payload(LayoutType.get(4)) == fl.Layout(4, 1)


def test_type_without_a_layout_value_has_no_payload() -> None:
    with pytest.raises(FrontendError, match="f32 is no type of a layout value"):
        payload(f32)
