"""Values known while tracing."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError


def test_static_conditions_are_values_of_python():
    assert fx.const_expr(fx.Boolean(True)) is True
    assert fx.const_expr(3) == 3


def test_dynamic_conditions_and_bounds_are_refused(emitted):
    with pytest.raises(FrontendError, match="const_expr needs a value known while tracing, found .*; use a plain if"):
        emitted(lambda x: fx.const_expr(x > 1), fx.Int32)
    with pytest.raises(FrontendError, match="range_constexpr needs bounds known while tracing, found .*; use range"):
        emitted(lambda x: fx.range_constexpr(x), fx.Int32)


def test_ranges_are_those_of_python():
    assert fx.range_constexpr(fx.Int32(2), 9, 3) == range(2, 9, 3)


@pytest.mark.parametrize(
    ("one", "other", "equal"), [(0.0, -0.0, False), (1, True, False), (2, 2, True), (1.5, 1.5, True)]
)
def test_values_of_the_code_are_told_apart(one, other, equal):
    signature = fx.Constexpr.value_signature
    assert (signature(one) == signature(other)) is equal


def test_annotations():
    assert fx.Constexpr.is_constexpr_annotation(fx.Constexpr[int])
    assert fx.Constexpr.is_constexpr_annotation(fx.Constexpr)
    assert not fx.Constexpr.is_constexpr_annotation(int)
