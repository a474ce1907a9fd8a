"""Thread and block indices, and barriers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from flydsl.base.errors import DynamicValueError, OperandError
from flydsl.base.other_versions import other_name
from flydsl.expr.memory.shared import SharedAllocator
from flydsl.expr.numeric import Index, Int32
from flydsl.expr.threads.shuffle import lane_id, num_warp_threads, shuffle_down, shuffle_idx, shuffle_up, shuffle_xor
from flydsl.expr.tracing.context import current
from flydsl.expr.tracing.unsupported import NoArithmetic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flydsl.expr.values.operand_types import IntLike, ScalarLike, VectorLike
    from flydsl.expr.values.traced_types import ScalarOrVector

__all__ = [
    "SharedAllocator",
    "Tuple3D",
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


class Tuple3D(NoArithmetic):
    """Three scalars `.x`, `.y` and `.z`, read on access: `factory("x")` returns the one along x."""

    __slots__ = ("_dtype", "_factory")

    def __init__(self, factory: Callable[[str], ScalarLike], dtype: type[Int32] = Int32) -> None:
        self._factory, self._dtype = factory, dtype

    @property
    def x(self) -> Int32:
        """The component along x."""
        return self._dtype(self._factory("x"))

    @property
    def y(self) -> Int32:
        """The component along y."""
        return self._dtype(self._factory("y"))

    @property
    def z(self) -> Int32:
        """The component along z."""
        return self._dtype(self._factory("z"))

    def __iter__(self) -> Iterator[Int32]:
        return iter((self.x, self.y, self.z))

    def _hint(self) -> str:
        return f"not one number but three; write {self!r}.x, {self!r}.y or {self!r}.z"

    __call__ = __getitem__ = NoArithmetic._refuse

    def __repr__(self) -> str:
        return f"fx.{getattr(self._factory, '__name__', 'Tuple3D')}"


def _index(op: str, axis: str) -> Index:
    emitter = current()
    properties = {"dimension": emitter.dimension(axis)}
    return Index.wrap(emitter.value(op, [], emitter.type(Index), properties=properties))


def _per_axis(name: str, op: str) -> Tuple3D:
    def read(axis: str) -> Index:
        return _index(op, axis)

    read.__name__ = name
    return Tuple3D(read)


thread_idx = _per_axis("thread_idx", "gpu.thread_id")
"""Index of this thread in its block, along x, y and z."""
block_idx = _per_axis("block_idx", "gpu.block_id")
"""Index of this block in the grid, along x, y and z."""
block_dim = _per_axis("block_dim", "gpu.block_dim")
"""Number of threads in a block, along x, y and z."""
grid_dim = _per_axis("grid_dim", "gpu.grid_dim")
"""Number of blocks in the grid, along x, y and z."""


def known_block_size() -> tuple[int, ...]:
    """Number of threads in a block along x, y and z, as Python ints.

    Raises DynamicValueError (a RuntimeError) unless the launch or the kernel's `known_block_size` specifies them as
    constants.
    """
    size = current().block_size
    if size is None:
        raise DynamicValueError(
            "the kernel has no compile-time block size: it is not known while tracing; use block_dim, or launch with "
            "constants"
        )
    return size


def thread_id(axis: str) -> Index:
    """The thread's index in its block along `axis`, "x", "y" or "z"; see `thread_idx`."""
    return _along("thread_id", axis)


def block_id(axis: str) -> Index:
    """The block's index in the grid along `axis`, "x", "y" or "z"; see `block_idx`."""
    return _along("block_id", axis)


def _along(name: str, axis: str) -> Index:
    if axis not in ("x", "y", "z"):
        raise OperandError(f'{name} takes "x", "y" or "z", found {axis!r}')
    return _index(f"gpu.{name}", axis)


def shuffle(value: VectorLike, offset: IntLike, width: IntLike | None = None, mode: str = "xor") -> ScalarOrVector:
    """`shuffle_xor`, `shuffle_up`, `shuffle_down` or `shuffle_idx`, by `mode`: xor, up, down or idx."""
    functions = {"xor": shuffle_xor, "up": shuffle_up, "down": shuffle_down, "idx": shuffle_idx}
    if mode not in functions:
        raise OperandError(f"shuffle has the modes {', '.join(functions)}, found {mode!r}")
    return functions[mode](value, offset, width)  # type: ignore[operator, no-any-return]


def barrier() -> None:
    """Wait until all threads of the block reach the barrier and their memory writes are visible to the block."""
    current().op("gpu.barrier")


def __getattr__(name: str) -> Any:
    """A name of other versions."""
    return other_name(__name__, name)
