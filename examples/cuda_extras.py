"""What epilogues of products read, on Hopper: it comes by the copy engine through the ring of stages, as A and B do."""

from __future__ import annotations

from typing import Any

from cuda_gemm import DEPTH_BYTES, GROUP_ROWS, PIECE, Group, Plan, Ring, aligned, registers

import flydsl.expr as fx

__all__ = ["Extras", "maps_of_extras"]


def maps_of_extras(extras: tuple[fx.Tensor, ...], plan: Plan) -> tuple[Any, ...]:
    """For host code: what loads pieces of a matrix like C, and of vectors along its rows, and their coordinates."""
    for extra in extras:
        fits = {1: (plan.result, fx.Float32), 2: (plan.result,) if PIECE * plan.result.width <= DEPTH_BYTES * 8 else ()}
        if extra.dtype not in fits.get(len(extra.shape), ()):
            raise ValueError(
                f"an epilogue reads vectors of C's type or Float32, and matrices of C's if that has 16 bits; "
                f"found {extra!r} beside C of {plan.result.__name__}"
            )
    columns = PIECE * together(plan, any(len(extra.shape) == 2 for extra in extras))
    layouts = {1: fx.make_layout(columns, 1), 2: fx.nvvm.smem_layout("k", plan.result, (plan.m, PIECE))}
    return tuple(fx.nvvm.make_tma_load(extra, layouts[len(extra.shape)]) for extra in extras)


def together(plan: Plan, has_matrix: bool) -> int:
    """Pieces of a tile that come in one stage: of a matrix one takes the place of A, and one of half a wide B."""
    return max(1, plan.n // plan.m) if has_matrix else plan.n // PIECE


def is_matrix(load: Any) -> bool:
    return len(load.boxes.tile) == 2


class Extras:
    """A matrix like C and vectors along its rows: what an epilogue reads of them for a tile, in stages of a ring."""

    def __init__(self, ring: Ring, maps: tuple[Any, ...]) -> None:
        self.ring, self.plan, self.maps = ring, ring.plan, maps
        self.together = together(ring.plan, any(is_matrix(load) for load, _ in maps))

    def __bool__(self) -> bool:
        return bool(self.maps)

    def tiles(self, place: tuple[Any, Any], number: int) -> list[tuple[Any, fx.Tensor, int, int]]:
        """What stage `number` of a tile of C brings: loads, what they load, and whose number and which piece it is."""
        found: list[tuple[Any, fx.Tensor, int, int]] = []
        for index, (load, extra) in enumerate(self.maps):
            if is_matrix(load):
                pieces = fx.zipped_divide(extra, (self.plan.m, PIECE))
                for piece in range(self.together):
                    column = place[1] * (self.plan.n // PIECE) + number * self.together + piece
                    found.append((load, pieces[None, (place[0], column)], index, piece))
            else:
                parts = fx.zipped_divide(extra, (PIECE * self.together,))
                found.append((load, parts[None, (place[1] * self.stages + number,)], index, 0))
        return found

    @property
    def stages(self) -> int:
        """That a tile takes."""
        return self.plan.n // PIECE // self.together if self.maps else 0

    def bring(self, state: Any, place: tuple[Any, Any]) -> Any:
        """Have the copy engine bring them for the tile at `place`, as soon as stages are empty; by one thread."""
        for number in range(self.stages):
            tiles = self.tiles(place, number)
            full = self.ring.pipeline.acquire(state, sum(load.tile_bytes for load, *_ in tiles))
            for load, tile, index, piece in tiles:
                fx.copy(load, tile, self.start(load, index, state.stage, piece), mbar=full)
            state = state.next()
        return state

    def start(self, load: Any, index: int, stage: Any, piece: int) -> fx.Pointer:
        """Where one is in a stage: the first piece of a matrix in place of A, the second of B, vectors behind it."""
        plan = self.plan
        b, of_piece = self.ring.b + stage * (plan.n * plan.k), plan.m * plan.k
        if is_matrix(load):
            return aligned(b if piece else self.ring.a + stage * of_piece, plan.result)
        dtype = fx.Float32 if load.element_bits == 32 else plan.result
        vectors = b + (of_piece if plan.n > plan.m else 0) + index * (plan.n * 32 // plan.dtype.width)
        return aligned(aligned(vectors, dtype, 128) + piece * PIECE, dtype, 128)

    def read(self, group: Group, state: Any, number: int) -> list[fx.Vector]:
        """What was brought for a piece, of the places of a thread's sums."""
        piece = number % self.together
        if piece == 0:
            self.ring.pipeline.wait(state)
        found: list[fx.Vector] = []
        for index, (load, _) in enumerate(self.maps):
            start = self.start(load, index, state.stage, piece)
            dtype: Any = start.dtype
            if is_matrix(load):
                mine = aligned(start + group.number * (GROUP_ROWS * PIECE), dtype)
                view = fx.make_view(mine, fx.nvvm.smem_layout("k", dtype, (GROUP_ROWS, PIECE)))
            else:
                view = fx.make_view(start, fx.make_layout((GROUP_ROWS, PIECE), (0, 1)))
            values = fx.make_rmem_tensor(registers(PIECE), dtype)
            fx.copy(fx.make_copy_atom(fx.UniversalCopy(2 * dtype.width), dtype), group.part.partition_C(view), values)
            found.append(values.load().to(fx.Float32))
        return found

    def release(self, group: Group, state: Any, number: int) -> Any:
        """Hand a stage back when all threads of the group have read its last piece."""
        if number % self.together != self.together - 1:
            return state
        if group.thread == 0:
            self.ring.pipeline.release(state.stage)
        return state.next()
