"""Addresses in, typed pointers out: what a tensor iterates over."""

from __future__ import annotations

from typing import Any

from flydsl.base.errors import FrontendError
from flydsl.expr.context import current
from flydsl.expr.int_tuple import as_int_tuple
from flydsl.expr.numeric import Numeric
from flydsl.expr.value import StructuredValue

__all__ = ["Pointer", "add_offset", "get_iter", "ptr_load", "ptr_store"]


class Pointer(StructuredValue):
    """A typed address in one address space; always dynamic."""

    __slots__ = ("dtype",)

    def __init__(self, payload: Any, value: Any = None, dtype: type[Numeric] | None = None) -> None:
        super().__init__(payload, value)
        self.dtype = dtype

    @property
    def is_static(self) -> bool:
        """An address is never known while tracing."""
        return False

    def __construct_from_ir_values__(self, values: list[Any]) -> Pointer:
        return Pointer(self.payload, values[0], self.dtype)

    @property
    def address_space(self) -> Any:
        """The address space attribute."""
        return self.payload.space

    @property
    def alignment(self) -> int:
        """Guaranteed alignment in bytes."""
        return self.payload.align  # type: ignore[no-any-return]

    def __add__(self, offset: Any) -> Pointer:
        return add_offset(self, offset)  # type: ignore[no-any-return]

    def load(self, dtype: Any = None) -> Any:
        """The element the pointer points at."""
        return ptr_load(self, dtype)

    def store(self, value: Any) -> None:
        """Write `value` where the pointer points."""
        ptr_store(value, self)

    def view(self, layout: Any) -> Any:
        """A tensor at this address."""
        from flydsl.expr.tensor import make_view

        return make_view(self, layout)

    def __getitem__(self, index: Any) -> Any:
        return (self + index).load()

    def __setitem__(self, index: Any, value: Any) -> None:
        (self + index).store(value)


def get_iter(memref: Any) -> Any:
    """The pointer of a tensor, or the base coordinate of a coordinate tensor."""
    return current().fly_call("get_iter", [memref], {})


def add_offset(ptr: Any, offset: Any) -> Any:
    """A pointer advanced by elements, or a coordinate plus a coordinate."""
    base = ptr if isinstance(ptr, Pointer) else as_int_tuple(ptr)
    return current().fly_call("add_offset", [base, as_int_tuple(offset)], {})


def ptr_load(ptr: Pointer, result_type: Any = None) -> Any:
    """The scalar at `ptr`, or a value of `result_type`."""
    if ptr.dtype is None:
        raise FrontendError(f"{ptr!r} has an element type that cannot be loaded as a scalar")
    dtype = result_type or ptr.dtype
    return dtype.wrap(current().value("fly.ptr.load", [ptr.ir_value()], current().type(dtype)))


def ptr_store(value: Any, ptr: Pointer) -> None:
    """Write a scalar, converted to the pointer's element type, to `ptr`."""
    if ptr.dtype is None:
        raise FrontendError(f"{ptr!r} has an element type that cannot be stored as a scalar")
    current().op("fly.ptr.store", [ptr.dtype(value).ir_value(), ptr.ir_value()])
