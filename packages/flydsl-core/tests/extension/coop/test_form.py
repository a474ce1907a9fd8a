"""Classes as type checkers see them."""

from __future__ import annotations

import flydsl.expr as fx
from flydsl.extension.coop.block.exchange import BlockExchange
from flydsl.extension.coop.form import form


def test_a_form_is_the_class_itself() -> None:
    assert form(BlockExchange) is BlockExchange
    assert fx.coop.BlockExchange is BlockExchange
    assert issubclass(fx.coop.BlockExchange[fx.Int32, 64, 2], BlockExchange)  # type: ignore[arg-type]
