"""Exchanges of warps: what they move by, and what they do not take. Their numbers: integration-tests/kernels."""

from __future__ import annotations

from typing import Any

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError, OperandError
from flydsl.extension.coop.warp.exchange import WarpExchange


def test_one_item_a_lane_stays_where_it_is_by_number(emitted: Any) -> None:
    assert WarpExchange[fx.Int32, 8] is WarpExchange[fx.Int32, 8, 1]
    names = emitted(lambda v: WarpExchange[fx.Int32, 8, 2].blocked_to_striped((v, v)), fx.Int32).names
    assert names.count("gpu.shuffle") == 4  # each of two items from one of two


def test_the_result_has_the_form_of_the_items(emitted: Any) -> None:
    P = WarpExchange[fx.Int32, 8, 2]

    def use(a: Any, b: Any) -> Any:
        vector = fx.Vector.from_elements([a, b])
        return [type(P.striped_to_blocked(given)).__name__ for given in ((a, b), [a, b], vector)]

    assert emitted(use, fx.Int32, fx.Int32).result == ["tuple", "list", "Vector"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda v: WarpExchange[fx.Int32, 8, 2].blocked_to_striped(v), "exchanges 2 items a lane, found 1"),
        (lambda v: WarpExchange[fx.Int32, 8, 2].scatter_to_striped((v, v), [v]), "a rank for each, found 2, 1"),
        (lambda v: WarpExchange.striped_to_blocked(v), "needs a specialisation"),
        (lambda v: WarpExchange[fx.Int32, 8, 1, "shuffle"], "has no algorithms, found 'shuffle'"),
    ],
)
def test_wrong_calls_are_refused(emitted: Any, wrong: Any, message: str) -> None:
    with pytest.raises(FrontendError, match=message):
        emitted(wrong, fx.Int32)


def test_items_are_counted(emitted: Any) -> None:
    for count in (0, True, 1.5):
        with pytest.raises(OperandError, match="takes the number of items a lane"):
            WarpExchange[fx.Int32, 8, count]
