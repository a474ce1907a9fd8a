"""Block algorithms with a known number of items a thread: `Algorithm[dtype, block_size, n]`."""

from __future__ import annotations

from enum import Enum
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar

from flydsl.base.errors import FrontendError
from flydsl.expr.memory.storage import Array
from flydsl.expr.struct import struct
from flydsl.expr.tracing.target import current_target
from flydsl.extension.coop import warp
from flydsl.extension.coop.block._spec import block_extents, warp_threads_of
from flydsl.extension.coop.block.block import Block
from flydsl.extension.coop.specialisation import Specialised, element_type, item_count

if TYPE_CHECKING:
    from flydsl.expr.struct import Struct


class SizedBlock(metaclass=Specialised):
    """An algorithm of blocks of `block_size` threads with `items` items each, in shared memory `slots`."""

    algorithms: ClassVar[type[Enum] | None] = None
    warp_ops: ClassVar[Any] = warp
    dtype: ClassVar[Any]
    block_size: ClassVar[tuple[int, int, int]]
    block_threads: ClassVar[int]
    items: ClassVar[int]
    warp_threads: ClassVar[int]
    num_warps: ClassVar[int]
    algorithm: ClassVar[Any]
    SharedStorage: ClassVar[type[Struct]]

    @classmethod
    def _parameters(cls, dtype: Any, block_size: Any, items: int = 1, algorithm: Any = None) -> dict[str, object]:
        size, items = block_extents(block_size), item_count(cls, items, "thread")
        threads = prod(size)
        warp = warp_threads_of(threads, current_target().warp_size)
        return {
            "dtype": element_type(cls, dtype),
            "block_size": size,
            "block_threads": threads,
            "items": items,
            "warp_threads": warp,
            "num_warps": -(-threads // warp),
            "algorithm": cls._checked_algorithm(algorithm),
            "SharedStorage": cls._storage(dtype, threads, items),
        }

    @classmethod
    def _checked_algorithm(cls, algorithm: Any) -> Any:
        if cls.algorithms is None:
            return algorithm
        if algorithm is None:
            return next(iter(cls.algorithms))
        if not isinstance(algorithm, cls.algorithms):
            raise FrontendError(
                f"an algorithm of {cls.__name__} is one of {cls.algorithms.__name__}, found {algorithm!r}"
            )
        return algorithm

    @classmethod
    def _storage(cls, dtype: Any, threads: int, items: int) -> type[Struct]:
        """`slots`: an element for each item."""
        fields = {"__annotations__": {"slots": Array[dtype, threads * items]}, "__module__": __name__}
        return struct(type("ItemStorage", (), fields))

    @classmethod
    def block(cls) -> Block:
        """The calling thread in its block."""
        return Block.of(cls)
