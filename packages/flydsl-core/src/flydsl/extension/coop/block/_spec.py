"""Specialisation of block algorithms: `Algorithm[dtype, block_size, algorithm]` is a class with shared storage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar

from flydsl.base.errors import FrontendError, OperandError, UnimplementedError
from flydsl.expr.numbers.promotion import known_integer
from flydsl.expr.tracing.target import current_target
from flydsl.extension.coop import warp
from flydsl.extension.coop.specialisation import Specialisation, Specialised, element_type

if TYPE_CHECKING:
    from flydsl.expr.struct import Struct
    from flydsl.expr.values.operand_types import StorableType
    from flydsl.extension.coop.block.launched import Size
    from flydsl.extension.coop.operators import WarpFunctions

_MOST_THREADS = 1024


@dataclass(frozen=True, kw_only=True)
class BlockSpecialisation(Specialisation):
    """The facts of an algorithm of blocks of one size."""

    block_size: Size
    warp_threads: int
    algorithm: Enum | None

    @property
    def block_threads(self) -> int:
        """The threads of a block."""
        return prod(self.block_size)

    @property
    def attributes(self) -> dict[str, object]:
        """The facts with the numbers of threads and of warps."""
        threads = self.block_threads
        return {**super().attributes, "block_threads": threads, "num_warps": -(-threads // self.warp_threads)}


class BlockSpecialised(Specialised):
    """What all specialised algorithms of blocks have; `warp_ops` are the functions of their warps."""

    warp_ops: ClassVar[WarpFunctions] = warp
    dtype: ClassVar[Any]
    block_size: ClassVar[Size]
    block_threads: ClassVar[int]
    warp_threads: ClassVar[int]
    num_warps: ClassVar[int]
    algorithm: ClassVar[Any]
    SharedStorage: ClassVar[type[Struct]]


class ReductionSpecialisation(BlockSpecialisation):
    """The facts of a reduction or scan."""

    @property
    def title(self) -> str:
        """All of them."""
        assert self.algorithm is not None
        return f"{getattr(self.dtype, '__name__', self.dtype)}, {self.block_size}, {self.algorithm.name}"


class BlockAlgorithm(BlockSpecialised):
    """Base of reductions and scans: `Algorithm[dtype, block_size, algorithm]`.

    The algorithms are an Enum; those that are implemented, the default first, have a function
    `(dtype, block_threads, warp_threads)` of the record in shared memory.
    """

    _algorithms: ClassVar[type[Enum]]
    _shared_storage: ClassVar[Mapping[Any, Callable[[StorableType, int, int], type[Struct]]]]

    @classmethod
    def _specialisation(cls, *given: object) -> ReductionSpecialisation:
        if len(given) not in (2, 3):
            found = given[0] if len(given) == 1 else given
            raise FrontendError(f"write {cls.__name__}[dtype, block_size] or with an algorithm, found {found!r}")
        size = block_extents(given[1])
        return ReductionSpecialisation(
            dtype=element_type(cls, given[0]),
            block_size=size,
            algorithm=cls._algorithm(given[2] if len(given) == 3 else None),
            warp_threads=warp_threads_of(prod(size)),
        )

    @classmethod
    def _attributes(cls, facts: ReductionSpecialisation) -> dict[str, object]:
        storage = cls._shared_storage[facts.algorithm]
        return {"SharedStorage": storage(facts.dtype, facts.block_threads, facts.warp_threads)}

    @classmethod
    def _algorithm(cls, given: object) -> Enum:
        algorithm = next(iter(cls._shared_storage)) if given is None else given
        if not isinstance(algorithm, cls._algorithms):
            known = ", ".join(f"{cls._algorithms.__name__}.{one.name}" for one in cls._shared_storage)
            raise FrontendError(f"an algorithm of {cls.__name__} is {known}, found {algorithm!r}")
        if algorithm not in cls._shared_storage:
            raise UnimplementedError(f"{cls._algorithms.__name__}.{algorithm.name} is not implemented")
        return algorithm

    @classmethod
    def _require_call(cls) -> None:
        """FrontendError unless the class is specialised."""
        if not cls.is_specialised:
            raise FrontendError(
                f"{cls.__name__} is called after it is specialised: {cls.__name__}[dtype, block_size](...)"
            )


def block_extents(size: object) -> Size:
    """A block size as three extents; FrontendError (a TypeError) for another type, OperandError for a wrong number."""
    extents = list(map(known_integer, size if isinstance(size, tuple | list) else (size,)))
    plain = [extent for extent in extents if isinstance(extent, int) and not isinstance(extent, bool)]
    if not 1 <= len(plain) == len(extents) <= 3:
        raise FrontendError(f"block_size is a number of threads or (x, y, z), known while tracing, found {size!r}")
    if min(plain) < 1 or prod(plain) > _MOST_THREADS:
        raise OperandError(f"block_size is 1 to {_MOST_THREADS} threads, found {size!r}")
    x, y, z = (*plain, 1, 1)[:3]
    return x, y, z


def warp_threads_of(threads: int) -> int:
    """The lanes of the warps of a block: all, or so many as a smaller block needs, a power of two."""
    return min(current_target().warp_size, 1 << (threads - 1).bit_length())
