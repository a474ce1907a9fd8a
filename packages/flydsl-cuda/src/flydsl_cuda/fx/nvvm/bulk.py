"""Copies of neighbouring bytes by the copy engine: one thread starts them, without a tensor map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flydsl import layout as algebra
from flydsl.backend.language import current, memory_dtype, user_location
from flydsl.base.errors import FrontendError
from flydsl.expr import Int32, Numeric, Pointer, Storage, Tensor, as_numeric, get_iter

from .chips import SM90, require
from .emit import barrier_address, instruction, int32, shared_address

if TYPE_CHECKING:
    from flydsl.backend.language import IntLike

    from .emit import SharedMemory

__all__ = ["BulkCopy"]

_GRANULE = 16
_TO_BLOCK = (
    "{ .reg .b32 there, told; mapa.shared::cluster.u32 there, $0, $3; mapa.shared::cluster.u32 told, $1, $3; "
    "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [there], [$2], $4, [told]; }"
)
"""To `$0` of the block number `$3` of the cluster from `$2`, `$4` bytes; its barrier `$1` is told."""


class BulkCopy:
    """Moves neighbouring elements: `fx.copy(BulkCopy(), row, shared, mbar=full)`, `fx.copy(BulkCopy(), shared, row)`.

    A load tells the barrier of its bytes, which `mbarrier_arrive_expect_tx` announces; stores are of a group, as those
    of tiles (`bulk_commit_group`, `bulk_wait_group`). Both places are multiples of 16 bytes, and so are the bytes:
    those of the tensor in global memory, or of `elements` of them.

    `fx.copy(BulkCopy(), shared, there, mbar=full, rank=1, elements=n)` moves to another block of the cluster, number 1
    of it: to where `there` is in that block's shared memory, and that block's barrier is told.
    """

    def __fly_copy__(
        self,
        src: SharedMemory,
        dst: SharedMemory,
        *,
        pred: object = None,
        mbar: SharedMemory | None = None,
        rank: IntLike | None = None,
        elements: IntLike | None = None,
    ) -> None:
        """What `fx.copy` does with it."""
        from flydsl.backend.ir import GLOBAL, SHARED
        from flydsl_cuda.bulk_operations import BulkLoadOp, BulkStoreOp

        require("BulkCopy", SM90)
        if pred is not None:
            raise FrontendError("fx.copy by BulkCopy takes no pred; use `if` around it, or fewer elements")
        source, target = _pointer(src), _pointer(dst)
        spaces = (source.address_space, target.address_space)
        if rank is not None and spaces != (SHARED, SHARED):
            raise FrontendError(f"rank= of fx.copy by BulkCopy is for shared memory, found {src!r} and {dst!r}")
        if spaces == (GLOBAL, SHARED):
            if mbar is None:
                raise FrontendError("fx.copy by BulkCopy to shared memory needs mbar=, the barrier that is told")
            operands = [source, target, _pointer(mbar), _bytes(src, source, elements)]
            _insert(BulkLoadOp, operands)
        elif spaces == (SHARED, GLOBAL):
            if mbar is not None:
                raise FrontendError("fx.copy by BulkCopy to global memory tells no barrier; use bulk_wait_group")
            _insert(BulkStoreOp, [source, target, _bytes(dst, target, elements)])
        elif rank is not None:
            if mbar is None:
                raise FrontendError("fx.copy by BulkCopy to another block needs mbar=, the barrier there that is told")
            _to_block(source, target, mbar, rank, _bytes(src, source, elements))
        else:
            raise FrontendError(
                f"BulkCopy moves between global and shared memory, and with rank= to that of another block of the "
                f"cluster; found {src!r} and {dst!r}"
            )

    def __repr__(self) -> str:
        return "BulkCopy()"


def _pointer(memory: SharedMemory) -> Pointer:
    found: Any = memory
    if isinstance(memory, Storage):
        found = memory.ptr
    elif isinstance(memory, Tensor) and memory.has_storage:
        found = get_iter(memory)
    if not isinstance(found, Pointer):
        raise FrontendError(f"BulkCopy moves tensors and what pointers point to, found {memory!r}")
    return found


def _bytes(memory: SharedMemory, pointer: Pointer, elements: IntLike | None) -> Int32:
    """How much is moved: what the side in global memory has, or the number that is given."""
    if pointer.dtype is None:
        raise FrontendError(f"BulkCopy moves elements of types of the language, found {memory!r}")
    width = memory_dtype(pointer.dtype).width
    if elements is None:
        elements = _size(memory)
    count = as_numeric(elements)
    if not isinstance(count, Numeric) or count.is_float:
        raise FrontendError(f"elements of fx.copy by BulkCopy is an integer, found {elements!r}")
    if count.is_static and int(count.value) * width % (8 * _GRANULE):
        raise FrontendError(
            f"BulkCopy moves multiples of {_GRANULE} bytes, and {int(count.value)} elements of "
            f"{pointer.dtype.__name__} are {int(count.value) * width / 8:g}"
        )
    return Int32(count) * width // 8 if width % 8 else Int32(count) * (width // 8)


def _size(memory: SharedMemory) -> int:
    layout = memory.payload.layout if isinstance(memory, Tensor) else None
    if not isinstance(layout, algebra.Layout) or not algebra.is_static(layout.shape):
        raise FrontendError(f"fx.copy by BulkCopy needs elements=, how many are moved, for {memory!r}")
    plain = algebra.coalesce(layout)
    if plain.stride != 1 and plain.shape != 1:
        raise FrontendError(f"BulkCopy moves neighbours, and {memory!r} has the layout {layout}; use a map of tiles")
    return int(plain.shape)  # type: ignore[arg-type]


def _to_block(source: Pointer, target: Pointer, mbar: SharedMemory, rank: IntLike, size: Int32) -> None:
    """Addresses of other blocks are those of this one, mapped."""
    addresses = shared_address("BulkCopy", target), barrier_address("BulkCopy", mbar)
    instruction(
        _TO_BLOCK, *addresses, shared_address("BulkCopy", source), int32("BulkCopy", "rank", rank), size.ir_value()
    )


def _insert(op_class: Any, operands: list[Any]) -> None:
    builder = current().builder
    builder.location = user_location()
    builder.create(op_class, [operand.ir_value() for operand in operands], [])
