"""Block algorithms with a known number of items a thread: `Algorithm[dtype, block_size, n]`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar

from flydsl.base.errors import FrontendError
from flydsl.expr.memory.storage import Array
from flydsl.extension.coop.block._spec import BlockSpecialisation, BlockSpecialised, block_extents, warp_threads_of
from flydsl.extension.coop.block.block import Block
from flydsl.extension.coop.block.storage import record
from flydsl.extension.coop.specialisation import element_type, item_count

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import StorableType


@dataclass(frozen=True, kw_only=True)
class SizedSpecialisation(BlockSpecialisation):
    """The facts of an algorithm with `items` a thread.

    Sorts have a type of values, histograms have bins, ranks the bits of a digit, decoders how many items they give.
    """

    items: int
    value_dtype: StorableType | None = None
    bins: int | None = None
    radix_bits: int | None = None
    decoded: int | None = None


class SizedBlock(BlockSpecialised):
    """An algorithm of blocks of `block_size` threads with `items` items each, in shared memory `slots`."""

    algorithms: ClassVar[type[Enum] | None] = None
    items: ClassVar[int]

    @classmethod
    def _specialisation(
        cls, dtype: StorableType, block_size: object, items: object = 1, algorithm: object = None
    ) -> SizedSpecialisation:
        size, count = block_extents(block_size), item_count(cls, items, "thread")
        return SizedSpecialisation(
            dtype=element_type(cls, dtype),
            block_size=size,
            items=count,
            warp_threads=warp_threads_of(prod(size)),
            algorithm=cls._checked_algorithm(algorithm),
        )

    @classmethod
    def _checked_algorithm(cls, algorithm: Any) -> Enum | None:
        if cls.algorithms is None:
            return algorithm  # type: ignore[no-any-return]
        if algorithm is None:
            return next(iter(cls.algorithms))
        if not isinstance(algorithm, cls.algorithms):
            raise FrontendError(
                f"an algorithm of {cls.__name__} is one of {cls.algorithms.__name__}, found {algorithm!r}"
            )
        return algorithm

    @classmethod
    def _attributes(cls, facts: SizedSpecialisation) -> dict[str, object]:
        """`slots`: an element for each item."""
        return {"SharedStorage": record("ItemStorage", slots=Array[facts.dtype, facts.block_threads * facts.items])}

    @classmethod
    def block(cls) -> Block:
        """The calling thread in its block."""
        return Block.of(cls)
