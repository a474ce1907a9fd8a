"""Where this thread is, and how threads of a block wait for each other."""

from __future__ import annotations

from typing import Any

from flydsl.base.errors import FrontendError
from flydsl.expr.context import current
from flydsl.expr.numeric import Index, Int32
from flydsl.expr.shared import SharedAllocator
from flydsl.expr.shuffle import lane_id, num_warp_threads, shuffle_down, shuffle_idx, shuffle_up, shuffle_xor

__all__ = [
    "SharedAllocator",
    "barrier",
    "block_dim",
    "block_idx",
    "grid_dim",
    "known_block_size",
    "lane_id",
    "num_warp_threads",
    "shuffle_down",
    "shuffle_idx",
    "shuffle_up",
    "shuffle_xor",
    "thread_idx",
]


class Tuple3D:
    """Three Int32 along x, y and z, read when asked for."""

    __slots__ = ("_name", "_op")

    def __init__(self, name: str, op: str) -> None:
        self._name, self._op = name, op

    @property
    def x(self) -> Int32:
        """Along x."""
        return self._read("x")

    @property
    def y(self) -> Int32:
        """Along y."""
        return self._read("y")

    @property
    def z(self) -> Int32:
        """Along z."""
        return self._read("z")

    def __iter__(self) -> Any:
        return iter((self.x, self.y, self.z))

    def _read(self, axis: str) -> Int32:
        emitter = current()
        if emitter.kind != "kernel":
            raise FrontendError(f"{self._name} exists only inside a kernel, and this is host code")
        index = emitter.value(self._op, [], emitter.type(Index), properties={"dimension": emitter.dimension(axis)})
        return Int32(Index.wrap(index))

    def __repr__(self) -> str:
        return f"fx.{self._name}"


thread_idx = Tuple3D("thread_idx", "gpu.thread_id")
block_idx = Tuple3D("block_idx", "gpu.block_id")
block_dim = Tuple3D("block_dim", "gpu.block_dim")
grid_dim = Tuple3D("grid_dim", "gpu.grid_dim")


def known_block_size() -> tuple[int, ...]:
    """Threads of the block along x, y and z, as Python ints; the launch or the kernel must give them as constants."""
    size = current().block_size
    if size is None:
        raise FrontendError("the block size is not known while tracing; use block_dim, or launch with constants")
    return size


def barrier() -> None:
    """Wait until every thread of the block is here and its memory writes are visible to the block."""
    if current().kind != "kernel":
        raise FrontendError("barrier exists only inside a kernel, and this is host code")
    current().op("gpu.barrier")
