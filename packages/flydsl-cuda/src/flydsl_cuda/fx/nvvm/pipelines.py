"""Stages of shared memory that the copy engine fills and warp groups empty, and the order of tiles of a matrix."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from flydsl.backend.language import select
from flydsl.base.errors import FrontendError
from flydsl.expr import Int32, Pointer, Uint32, arith

from .barriers import mbarrier_arrive, mbarrier_arrive_expect_tx, mbarrier_init, mbarrier_wait

if TYPE_CHECKING:
    from flydsl.backend.language import IntLike

__all__ = ["PipelineState", "PipelineTma", "TileScheduler"]


class PipelineState:
    """The stage that is next, and the parity of the barrier's phase; loops carry it."""

    def __init__(self, stages: int, stage: IntLike = 0, phase: IntLike = 0) -> None:
        self.stages, self.stage, self.phase = stages, Int32(stage), Int32(phase)

    def next(self) -> PipelineState:
        """The state of the stage behind this one."""
        is_last = self.stage == self.stages - 1
        stage, phase = select(is_last, Int32(0), self.stage + 1), select(is_last, self.phase ^ 1, self.phase)
        return PipelineState(self.stages, stage, phase)

    def __extract_to_ir_values__(self) -> list[Any]:
        return [self.stage.ir_value(), self.phase.ir_value()]

    def __construct_from_ir_values__(self, values: Iterable[Any]) -> PipelineState:
        stage, phase = map(Int32.wrap, values)
        return PipelineState(self.stages, stage, phase)


class PipelineTma:
    """`stages` stages in a ring: one thread has the copy engine fill them, `consumers` arrivals empty each.

    It has 2 * `stages` barriers, `fx.Array[fx.Int64, 2 * stages]`, at `barriers`. Each side keeps a `state`:

        producer:  full = pipeline.acquire(state, tx_bytes)    consumer:  pipeline.wait(state)
                   fx.copy(load, tile, stage, mbar=full)                  ... reads the stage ...
                   state = state.next()                                   pipeline.release(state.stage)
                                                                          state = state.next()
    """

    def __init__(self, barriers: Pointer, stages: int, consumers: int) -> None:
        if not isinstance(stages, int) or stages < 1:
            raise FrontendError(f"a PipelineTma has a positive number of stages, found {stages!r}")
        self.barriers, self.stages, self.consumers = barriers, stages, consumers

    def init(self) -> None:
        """Make the barriers; one thread does, before `fence_mbarrier_init()` and a barrier of the block or cluster."""
        for stage in range(self.stages):
            mbarrier_init(self.full(stage), 1)
            mbarrier_init(self.empty(stage), self.consumers)

    def state(self) -> PipelineState:
        """Where both sides begin."""
        return PipelineState(self.stages)

    def full(self, stage: IntLike) -> Pointer:
        """The barrier that tells that a stage is filled."""
        return self.barriers + Int32(stage)

    def empty(self, stage: IntLike) -> Pointer:
        """The barrier that tells that a stage may be filled."""
        return self.barriers + (Int32(stage) + self.stages)

    def acquire(self, state: PipelineState, tx_bytes: IntLike) -> Pointer:
        """Wait until the stage is empty, announce the bytes that fill it, and give the barrier that copies tell."""
        mbarrier_wait(self.empty(state.stage), state.phase ^ 1)
        full = self.full(state.stage)
        mbarrier_arrive_expect_tx(full, tx_bytes)
        return full

    def wait(self, state: PipelineState) -> None:
        """Wait until the stage is filled."""
        mbarrier_wait(self.full(state.stage), state.phase)

    def release(self, stage: IntLike) -> None:
        """Tell that the calling thread, for its group, has done with a stage."""
        mbarrier_arrive(self.empty(stage))


class TileScheduler:
    """Tiles of a matrix of `rows` x `columns` tiles, in bands of `band` rows: neighbours in time share inputs in cache.

    `for tile in range(first, scheduler.tiles, step): row, column = scheduler.tile_coord(tile)`
    """

    def __init__(self, rows: IntLike, columns: IntLike, band: IntLike = 8) -> None:
        self.rows, self.columns, self.band = Int32(rows), Int32(columns), Int32(band)

    @property
    def tiles(self) -> Int32:
        """How many there are."""
        return self.rows * self.columns

    def tile_coord(self, tile: IntLike) -> tuple[Int32, Int32]:
        """The row and the column of a tile."""
        number, of_band = Uint32(tile), Uint32(self.columns * self.band)
        first = Int32(number // of_band) * self.band
        rest, height = number % of_band, Uint32(arith.min(self.rows - first, self.band))
        return first + Int32(rest % height), Int32(rest // height)
