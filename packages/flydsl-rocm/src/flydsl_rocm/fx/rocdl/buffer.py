"""Bounds-checked buffer tensors: a 128-bit resource in place of the address."""

from __future__ import annotations

from typing import Any

from flydsl import layout as algebra
from flydsl.backend.language import current
from flydsl.base.errors import FrontendError
from flydsl.expr import Int16, Int32, Int64, Pointer, Tensor, as_numeric, cosize, get_iter, get_scalar, make_view
from flydsl_rocm.features import Feature

from .chips import require
from .emit import create

__all__ = ["get_buffer_rsrc", "make_buffer_ptr", "make_buffer_tensor"]

_MAX_BYTES = 0xFFFFFFFF
_LOG2_OF_BITS = 35  # of 4 GiB
# Word 3 of a resource: a data format other than 0; on RDNA also bit 24 and, in bits 28-29, a check of the plain offset.
_FLAGS, _FLAGS_WITH_CHECK = 0x27000, 0x31027000


def make_buffer_ptr(ptr: Pointer, num_records_bytes: Any = None) -> Pointer:
    """A buffer pointer to the memory at `ptr`: loads from `num_records_bytes` on give 0, stores there do nothing.

    Without a size, 4 GiB - 1 bytes are in bounds.
    """
    from flydsl.backend.ir import GLOBAL, PointerType
    from flydsl_rocm.atoms.copy_types import BUFFER_DESC

    target = require("make_buffer_ptr", in_kernel=False)
    if not isinstance(ptr, Pointer) or ptr.address_space != GLOBAL:
        raise FrontendError(f"fx.rocdl.make_buffer_ptr needs a pointer to global memory, found {ptr!r}")
    size = Int64(_MAX_BYTES) if num_records_bytes is None else Int64(as_numeric(num_records_bytes))
    operands: list[Any] = [ptr, Int16(0), size, Int32(_flags(target.features))]
    type_ = PointerType(ptr.payload.element, BUFFER_DESC, ptr.payload.align)
    made = current().value("fly.make_ptr", [operand.ir_value() for operand in operands], type_)
    return Pointer(type_, made, ptr.dtype)


def make_buffer_tensor(tensor: Tensor, max_size: bool = True, *, num_records_bytes: Any = None) -> Tensor:
    """`tensor` accessed with buffer instructions.

    The bound is `num_records_bytes`, or the extent of the tensor, or (`max_size`) as large as the hardware counts.
    A tensor that reaches further than the 4 GiB that the hardware counts is refused: when that is known while tracing,
    else by a trap in the kernel.
    """
    if not isinstance(tensor, Tensor) or not tensor.has_storage:
        raise FrontendError(f"fx.rocdl.make_buffer_tensor needs a tensor in global memory, found {tensor!r}")
    _check_reach(tensor)
    if num_records_bytes is None and not max_size:
        num_records_bytes = _bytes_of(Int64(as_numeric(get_scalar(cosize(tensor)))), tensor.dtype.width)
    return make_view(make_buffer_ptr(get_iter(tensor), num_records_bytes), tensor.layout)


def _bytes_of(elements: Any, width: int) -> Any:
    """The bytes that elements of `width` bits take; without a division where these are whole bytes."""
    return (elements * width + 7) // 8 if width % 8 else elements * (width // 8)


def _check_reach(tensor: Tensor) -> None:
    """Refuse elements beyond byte offsets of 32 bits; layouts of 32-bit leaves have none (`flydsl.layout.width`)."""
    from flydsl.backend.language import emit_if

    layout: Any = getattr(tensor.payload.layout, "outer", tensor.payload.layout)
    if algebra.is_static(layout):
        reach = algebra.cosize(layout)
        if isinstance(reach, int) and reach * tensor.dtype.width >> _LOG2_OF_BITS:
            raise FrontendError(
                f"a buffer tensor reaches {_MAX_BYTES} bytes, and {tensor!r} has {reach} elements from first to last; "
                "make one of a part of it, or access it without a buffer"
            )
    elif any(leaf.width == 64 for leaf in algebra.leaves(layout.shape)):
        if current().kind == "host":
            raise FrontendError(
                f"{tensor!r} may reach further than the {_MAX_BYTES} bytes of a buffer tensor; make that in the kernel"
            )
        bits = Int64(as_numeric(get_scalar(cosize(tensor)))) * tensor.dtype.width
        emit_if(bits >> _LOG2_OF_BITS != 0, _stop, tuple, ())


def _stop() -> tuple[()]:
    current().op("llvm.intr.trap")
    return ()


def get_buffer_rsrc(ptr: Pointer) -> Any:
    """The resource of a buffer pointer, as an SSA value of type `!llvm.ptr<8>`."""
    from flydsl.backend.llvm import pointer_type
    from flydsl_rocm.atoms.copy_types import BUFFER_DESC
    from flydsl_rocm.dialect import GetBufferRsrcOp

    require("get_buffer_rsrc")
    if not isinstance(ptr, Pointer) or ptr.address_space != BUFFER_DESC:
        raise FrontendError(f"fx.rocdl.get_buffer_rsrc needs a buffer pointer, found {ptr!r}")
    return create(GetBufferRsrcOp, [ptr.ir_value()], [pointer_type(8)])


def _flags(features: frozenset[Feature]) -> int:
    if Feature.LONG_RESOURCES in features:
        return 0
    return _FLAGS_WITH_CHECK if Feature.CHECKED_OFFSETS in features else _FLAGS
