"""Shared memory of block algorithms: the records, and accesses to their arrays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from flydsl.base.errors import FrontendError
from flydsl.expr.gpu import barrier
from flydsl.expr.memory.shared import SharedAllocator
from flydsl.expr.memory.storage import Array, Storage, type_name
from flydsl.expr.struct import Struct, struct

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import IntLike, StorableType
    from flydsl.expr.values.traced_types import Item


def warp_storage(dtype: StorableType, block_threads: int, warp_threads: int) -> type[Struct]:
    """`slots`: an element for each warp."""
    return record("WarpStorage", slots=Array[dtype, -(-block_threads // warp_threads)])


def raking_storage(dtype: StorableType, block_threads: int, warp_threads: int) -> type[Struct]:
    """`slots`: an element for each thread, or one for a block of one warp; `result`: one element."""
    count = 1 if block_threads <= warp_threads else block_threads
    return record("RakingStorage", slots=Array[dtype, count], result=Array[dtype, 1])


@contextmanager
def shared_storage(algorithm: Any, given: object) -> Iterator[Any]:
    """The shared memory of a call: what is given, else its own, which a next call in a loop finds free."""
    yield SharedAllocator().allocate(algorithm.SharedStorage).peek() if given is None else given
    if given is None:
        barrier()


def array_of(storage: object, name: str, kind: type[Struct]) -> Storage:
    """The array `name` in shared memory that a caller passed; FrontendError for anything else."""
    array = getattr(storage, name, None)
    if not isinstance(array, Storage):
        raise FrontendError(
            f"storage= is shared memory: fx.SharedAllocator().allocate(P.SharedStorage).peek() for a specialisation P, "
            f"of {kind.__name__}, found {storage!r}"
        )
    wanted = kind.fields[name]
    found = array.dtype
    if getattr(found, "dtype", None) is not wanted.dtype or found.count < wanted.count:
        raise FrontendError(f"storage= has {name} of type {type_name(found)}, and {type_name(wanted)} is needed")
    return array


def load(array: Storage, index: IntLike) -> Item:
    """An element of an array."""
    item: Any = array[index]
    if isinstance(item, Storage):
        item = item.peek()
    return item  # type: ignore[no-any-return]


def record(name: str, **arrays: StorableType) -> type[Struct]:
    """A record of arrays in shared memory."""
    return struct(type(name, (), {"__annotations__": arrays, "__module__": __name__, "__doc__": __doc__}))
