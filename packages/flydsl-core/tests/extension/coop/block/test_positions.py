"""Positions of a thread's items."""

from __future__ import annotations

from typing import Any

import flydsl.expr as fx
from flydsl.extension.coop.block.block import Block
from flydsl.extension.coop.block.positions import blocked, striped, warp_striped


def test_positions_of_a_thread(computed: Any) -> None:
    def run(thread: Any) -> Any:
        block = Block(thread, thread // 4, thread % 4, 4, 3, 12, None)
        return [*blocked(block, 2), *striped(block, 2), *warp_striped(block, 2)]

    assert computed(run, fx.Int32)(6) == [12, 13, 6, 18, 10, 14]
