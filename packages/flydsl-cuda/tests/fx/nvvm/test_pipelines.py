"""The ring of stages and the order of tiles: against plain Python, and the barriers in PTX."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError

Ptx = Callable[..., str]


def test_each_side_waits_for_the_other_and_loops_carry_the_state(traced_ptx: Ptx) -> None:
    def body(x: fx.Tensor) -> None:
        pipeline = fx.nvvm.PipelineTma(fx.SharedAllocator().allocate(fx.Array[fx.Int64, 6]).ptr, 3, 2)
        pipeline.init()
        state = pipeline.state()
        for _ in range(x[0]):
            pipeline.acquire(state, 512)
            state = state.next()
        for _ in range(x[1]):
            pipeline.wait(state)
            pipeline.release(state.stage)
            state = state.next()
        x[2] = state.stage * 2 + state.phase

    text = traced_ptx(body)
    assert text.count("mbarrier.init") == 6
    assert text.count("mbarrier.try_wait") == 2
    assert text.count("mbarrier.arrive.expect_tx") == 1
    assert text.count("mbarrier.arrive.shared") == 1


def test_a_ring_turns_and_its_parity_changes(traced_ptx: Ptx) -> None:
    seen: list[tuple[int, int]] = []

    def body(x: fx.Tensor) -> None:
        state = fx.nvvm.PipelineState(3)
        for _ in fx.range_constexpr(7):
            seen.append((int(state.stage), int(state.phase)))
            state = state.next()

    traced_ptx(body)
    assert seen == [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), (0, 0)]


@pytest.mark.parametrize(("rows", "columns", "band"), [(1, 1, 8), (16, 3, 8), (11, 5, 4), (3, 7, 8), (9, 1, 2)])
def test_each_tile_comes_once_band_by_band(traced_ptx: Ptx, rows: int, columns: int, band: int) -> None:
    found: list[tuple[int, int]] = []

    def body(x: fx.Tensor) -> None:
        scheduler = fx.nvvm.TileScheduler(rows, columns, band)
        for tile in range(int(scheduler.tiles)):
            row, column = scheduler.tile_coord(tile)
            found.append((int(row), int(column)))

    traced_ptx(body)
    bands = [range(first, min(first + band, rows)) for first in range(0, rows, band)]
    assert found == [(row, column) for rows_of in bands for column in range(columns) for row in rows_of]


def test_a_place_is_two_unsigned_divisions(traced_ptx: Ptx) -> None:
    def body(x: fx.Tensor) -> None:
        x[2], x[3] = fx.nvvm.TileScheduler(x[0], x[1]).tile_coord(fx.block_idx.x)

    text = traced_ptx(body)
    assert text.count("div.u32") == 2
    assert "div.s32" not in text  # of which signs would be looked at, and which the producer waits for


@pytest.mark.parametrize("stages", [0, 2.0])
def test_a_ring_has_stages(traced_ptx: Ptx, stages: int) -> None:
    def body(x: fx.Tensor) -> None:
        fx.nvvm.PipelineTma(fx.SharedAllocator().allocate(fx.Array[fx.Int64, 6]).ptr, stages, 1)

    with pytest.raises(FrontendError, match="a positive number of stages, found"):
        traced_ptx(body)
