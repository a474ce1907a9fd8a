"""Specialisation of block algorithms: `Algorithm[dtype, block_size, algorithm]` is a class with shared storage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar

from flydsl.base.errors import FrontendError, OperandError, UnimplementedError
from flydsl.base.process.fork_locks import new_lock
from flydsl.expr.memory.storable import is_storable
from flydsl.expr.numbers.promotion import known_integer
from flydsl.expr.struct import Struct
from flydsl.expr.tracing.target import current_target
from flydsl.extension.coop import warp

if TYPE_CHECKING:
    from flydsl.plugins.compile_backend import GPUTarget

_MOST_THREADS = 1024
StorageOf = Callable[[Any, int, int], type[Struct]]


class BlockAlgorithmMeta(type):
    """The class of block algorithms, which are specialised by indexing.

    A class of algorithms has `_algorithms`, an Enum, and `_shared_storage`, which gives for each that is implemented a
    function `(dtype, block_threads, warp_threads)` of the record in shared memory. Equal parameters give one class.
    """

    _algorithms: ClassVar[type[Enum]]
    _shared_storage: ClassVar[Mapping[Any, StorageOf]]
    block_threads: int | None
    _lock: ClassVar = new_lock()
    _made: ClassVar[dict[tuple[object, ...], Any]] = {}

    def __getitem__(cls, parameters: object) -> Any:
        if cls.block_threads is not None:
            raise FrontendError(f"{cls.__name__} is specialised already; index the class without parameters")
        given = parameters if isinstance(parameters, tuple) else (parameters,)
        if len(given) not in (2, 3):
            raise FrontendError(f"write {cls.__name__}[dtype, block_size] or with an algorithm, found {parameters!r}")
        dtype, size = given[0], block_extents(given[1])
        if not is_storable(dtype):
            raise FrontendError(f"{cls.__name__} takes a type of elements such as fx.Float32, found {dtype!r}")
        target = current_target()
        algorithm = cls._algorithm(given[2] if len(given) == 3 else None, target)
        warp = warp_threads_of(prod(size), target.warp_size)
        key = (cls, dtype, size, algorithm, warp)
        with cls._lock:
            made = cls._made.get(key)
            if made is None:
                made = cls._made[key] = cls._specialised(dtype, size, algorithm, warp)
            return made

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls.block_threads is None:
            raise FrontendError(
                f"{cls.__name__} is called after it is specialised: {cls.__name__}[dtype, block_size](...)"
            )
        return super().__call__(*args, **kwargs)

    def _default_algorithm_for(cls, target: GPUTarget) -> Enum:
        """The algorithm when none is named; each class of algorithms has its own."""
        raise NotImplementedError(f"{cls.__name__} has no _default_algorithm_for(target)")

    def _algorithm(cls, given: object, target: GPUTarget) -> Enum:
        algorithm = cls._default_algorithm_for(target) if given is None else given
        if not isinstance(algorithm, cls._algorithms):
            known = ", ".join(f"{cls._algorithms.__name__}.{one.name}" for one in cls._shared_storage)
            raise FrontendError(f"an algorithm of {cls.__name__} is {known}, found {algorithm!r}")
        if algorithm not in cls._shared_storage:
            raise UnimplementedError(f"{cls._algorithms.__name__}.{algorithm.name} is not implemented")
        return algorithm

    def _specialised(cls, dtype: Any, size: tuple[int, int, int], algorithm: Enum, warp: int) -> Any:
        threads = prod(size)
        name = f"{cls.__name__}[{getattr(dtype, '__name__', dtype)}, {size}, {algorithm.name}]"
        return type(cls)(
            name,
            (cls,),
            {
                "__module__": cls.__module__,
                "__doc__": cls.__doc__,
                "dtype": dtype,
                "block_size": size,
                "block_threads": threads,
                "algorithm": algorithm,
                "warp_threads": warp,
                "num_warps": -(-threads // warp),
                "SharedStorage": cls._shared_storage[algorithm](dtype, threads, warp),
            },
        )


class BlockAlgorithm(metaclass=BlockAlgorithmMeta):
    """What specialised algorithms of reductions and scans have; `warp_ops` are the functions of their warps."""

    warp_ops: ClassVar[Any] = warp
    block_threads: ClassVar[int | None] = None
    dtype: ClassVar[Any]
    block_size: ClassVar[tuple[int, int, int]]
    algorithm: ClassVar[Any]
    warp_threads: ClassVar[int]
    num_warps: ClassVar[int]
    SharedStorage: ClassVar[type[Struct]]


def block_extents(size: object) -> tuple[int, int, int]:
    """A block size as three extents; FrontendError (a TypeError) for another type, OperandError for a wrong number."""
    extents = list(map(known_integer, size if isinstance(size, tuple | list) else (size,)))
    plain = [extent for extent in extents if isinstance(extent, int) and not isinstance(extent, bool)]
    if not 1 <= len(plain) == len(extents) <= 3:
        raise FrontendError(f"block_size is a number of threads or (x, y, z), known while tracing, found {size!r}")
    if min(plain) < 1 or prod(plain) > _MOST_THREADS:
        raise OperandError(f"block_size is 1 to {_MOST_THREADS} threads, found {size!r}")
    x, y, z = (*plain, 1, 1)[:3]
    return x, y, z


def warp_threads_of(threads: int, warp: int) -> int:
    """The lanes of the warps of a block: all, or so many as a smaller block needs, a power of two."""
    return min(warp, 1 << (threads - 1).bit_length())
