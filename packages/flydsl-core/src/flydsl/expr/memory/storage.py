"""A pointer and a type in, typed memory out: fields, elements, reading and writing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeGuard

from flydsl.base.errors import FrontendError
from flydsl.expr.layouts.algebra import int_tuple_mul
from flydsl.expr.memory.array import AlignType, ArrayType, type_name
from flydsl.expr.memory.pointer import Pointer, recast_iter
from flydsl.expr.memory.storable import dsl_align_of, dsl_size_of, peek_from_ptr, poke_into_ptr
from flydsl.expr.numeric import Int8, Numeric, as_numeric
from flydsl.expr.tracing.unsupported import NoArithmetic, NoAttributeError

if TYPE_CHECKING:
    from flydsl.expr.layouts.layout import LayoutValue
    from flydsl.expr.memory.tensor import Tensor
    from flydsl.expr.values.operand_types import IntLike, LayoutLike, StorableType, StoredValue

__all__ = ["Storage"]


class Storage(NoArithmetic):
    """Memory that holds a value of a storable type: `peek()` reads it and `poke(value)` writes it.

    Fields of a struct are attributes and elements of an array are items, each a storage again; numeric elements are
    read and written at once: `s.count.peek()`, `s.count = 3`, `s.items[i]`, `s.items[i] = x`.
    """

    __slots__ = ("dtype", "ptr")
    ptr: Pointer
    dtype: Any

    def __init__(self, ptr: Pointer, dtype: StorableType) -> None:
        if not isinstance(ptr, Pointer):
            raise FrontendError(f"storage is at a pointer, found {ptr!r}; fx.get_iter gives that of a tensor")
        object.__setattr__(self, "dtype", dtype)
        object.__setattr__(self, "ptr", place(ptr, 0, dtype))

    def peek(self) -> Any:
        """The value: a number, or a record; arrays and unions stay storage."""
        return peek_from_ptr(self.dtype, self.ptr)

    def poke(self, value: StoredValue) -> None:
        """Write a value."""
        poke_into_ptr(self.dtype, self.ptr, value)

    def view(self, layout: LayoutLike) -> Tensor:
        """A tensor of the elements of an array, or of the one number that is stored here."""
        from flydsl.expr.layouts.layout import as_layout
        from flydsl.expr.memory.tensor import make_view

        viewed = as_layout(layout)
        _check_swizzle(self.ptr, viewed)
        _check_extent(self, viewed)
        return make_view(self.ptr, viewed)

    def __getattr__(self, name: str) -> Storage:
        if name.startswith("__"):
            raise AttributeError(name)
        _, kind, offset = self._member(name)
        return Storage(place(self.ptr, offset, kind), kind)

    def __setattr__(self, name: str, value: StoredValue) -> None:
        _, kind, offset = self._member(name)
        poke_into_ptr(kind, place(self.ptr, offset, kind), value)

    def __getitem__(self, index: IntLike) -> Any:
        element = self._element(index)
        return element.peek() if _is_numeric(element.dtype) else element

    def __setitem__(self, index: IntLike, value: StoredValue) -> None:
        self._element(index).poke(value)

    def __len__(self) -> int:
        return _array(self).count

    def _instead(self) -> str:
        advice = "read it with .peek()" if _is_numeric(_unaligned(self.dtype)) else "take a field or an element"
        return f"memory, not a number; {advice}"

    __fly_scalar__ = __bool__ = __index__ = NoArithmetic._refuse  # when memory is read must be seen

    def __iter__(self) -> Iterator[Any]:
        return iter([self[index] for index in range(len(self))])

    def _member(self, name: str) -> tuple[str, Any, int]:
        kind = _unaligned(self.dtype)
        members = kind.members() if hasattr(kind, "members") else []
        for member in members:
            if member[0] == name:
                return member  # type: ignore[no-any-return]
        known = ", ".join(member[0] for member in members)
        hint = f"fields: {known}" if known else "use peek and poke"
        raise NoAttributeError(f"{self!r} has no field {name!r}; {hint}")

    def _element(self, index: IntLike) -> Storage:
        array = _array(self)
        if isinstance(index, tuple | slice):
            raise FrontendError(f"an element of {self!r} has one number, found {index!r}; .view(layout) gives a tensor")
        position = as_numeric(index)
        if position.is_float:
            raise FrontendError(f"an index of {self!r} is an integer, found {position!r}")
        if position.is_static and not 0 <= int(position) < array.count:
            raise FrontendError(f"index {int(position)} is out of range for {self!r}")
        if _is_numeric(array.dtype):
            return Storage(self.ptr + position, array.dtype)
        size = dsl_size_of(array.dtype)
        return Storage(recast_iter(Int8, self.ptr) + int_tuple_mul(position, size), array.dtype)

    def __repr__(self) -> str:
        return f"Storage({type_name(self.dtype)})"


def place(ptr: Pointer, offset: int, kind: StorableType) -> Pointer:
    """The pointer `offset` bytes behind `ptr`, to the elements of `kind` (bytes for a record)."""
    element = kind
    while isinstance(element, ArrayType | AlignType):
        element = element.dtype
    dtype = element if _is_numeric(element) else Int8
    moved = recast_iter(Int8, ptr) + offset if offset else ptr
    if moved.alignment % dsl_align_of(kind):
        raise FrontendError(
            f"{type_name(kind)} needs an address that is a multiple of {dsl_align_of(kind)} bytes, "
            f"found {moved!r}, which is aligned to {moved.alignment}"
        )
    return moved if moved.dtype is dtype else recast_iter(dtype, moved)


def _is_numeric(kind: StorableType) -> TypeGuard[type[Numeric]]:
    return isinstance(kind, type) and issubclass(kind, Numeric)


def _unaligned(kind: StorableType) -> StorableType:
    """The type below any `Align`."""
    while isinstance(kind, AlignType):
        kind = kind.dtype
    return kind


def _array(storage: Storage) -> ArrayType:
    kind = _unaligned(storage.dtype)
    if not isinstance(kind, ArrayType):
        raise FrontendError(f"{storage!r} is no array and has no elements; use its fields, peek or poke")
    return kind


def _check_extent(storage: Storage, layout: LayoutValue) -> None:
    """A static layout must stay inside of the storage."""
    from flydsl.expr.layouts.modes import cosize

    kind = _unaligned(storage.dtype)
    count = kind.count if isinstance(kind, ArrayType) else 1
    needed = cosize(layout)
    if needed.is_static and needed.is_leaf and int(needed) > count:
        raise FrontendError(f"{layout!r} reaches element {int(needed) - 1}, and {storage!r} has {count}; allocate more")


def _check_swizzle(ptr: Pointer, layout: LayoutValue) -> None:
    """A swizzle of offsets is one of addresses, as copies apply it, when the address is a multiple of its period."""
    inner: Any = getattr(layout.payload, "inner", None)
    if not (hasattr(inner, "mask") and hasattr(inner, "shift")) or ptr.dtype is None:
        return
    period = (1 << (inner.mask + inner.base + inner.shift)) * ptr.dtype.width // 8
    if ptr.alignment % period:
        raise FrontendError(
            f"swizzle {inner} repeats every {period} bytes, and {ptr!r} is aligned to {ptr.alignment}; "
            f"allocate with alignment={period}"
        )
