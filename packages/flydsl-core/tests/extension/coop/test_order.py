"""The order of keys."""

from __future__ import annotations

from typing import Any

import pytest

import flydsl.expr as fx
from flydsl.extension.coop.order import goes_before

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize("dtype", [fx.Float16, fx.BFloat16, fx.Float32, fx.Float64], ids=lambda dtype: dtype.__name__)
def test_numbers_go_before_nan_and_nothing_goes_before_its_equal(computed: Any, dtype: Any) -> None:
    before = computed(lambda a, b: goes_before(a, b), dtype, dtype)
    keys = [-INF, -2.0, 0.0, 1.5, INF, NAN]
    for i, a in enumerate(keys):
        assert [bool(before(a, b)) for b in keys] == [i < k for k in range(len(keys))]
    assert not before(-0.0, 0.0)
    assert not before(0.0, -0.0)


def test_integers_are_compared_as_they_are(computed: Any) -> None:
    before = computed(lambda a, b: goes_before(a, b), fx.Int32, fx.Int32)
    assert [bool(before(a, b)) for a, b in ((1, 2), (2, 2), (3, 2), (-1, 0))] == [True, False, False, True]
