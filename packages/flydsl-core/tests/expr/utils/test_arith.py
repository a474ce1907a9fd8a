"""The same functions under another path."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.expr.utils import arith


def test_names_are_those_of_the_language() -> None:
    for name in ("minsi", "select", "ArithValue", "cmpi", "_to_raw"):
        assert getattr(arith, name) is getattr(fx.arith, name)
    with pytest.raises(AttributeError, match="nothing"):
        _ = arith.nothing
