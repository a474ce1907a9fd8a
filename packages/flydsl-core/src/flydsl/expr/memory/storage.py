"""Typed memory: records, arrays and aligned types, their fields and elements, reading and writing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeGuard

from flydsl.base.errors import FrontendError
from flydsl.base.location import user_location
from flydsl.expr.layouts.algebra import int_tuple_mul
from flydsl.expr.layouts.layout import as_layout
from flydsl.expr.layouts.modes import cosize
from flydsl.expr.memory.pointer import Pointer, recast_iter
from flydsl.expr.memory.storable import dsl_align_of, dsl_size_of, is_storable, peek_from_ptr, poke_into_ptr
from flydsl.expr.numbers.promotion import known_integer
from flydsl.expr.numeric import Int8, Numeric, as_numeric
from flydsl.expr.tracing.unsupported import NoArithmetic, NoAttributeError

if TYPE_CHECKING:
    from flydsl.expr.layouts.layout import LayoutValue
    from flydsl.expr.memory.tensor import Tensor
    from flydsl.expr.values.operand_types import IntLike, LayoutLike, StorableType, StoredValue
    from flydsl.expr.values.traced_types import StoredElement

__all__ = ["Align", "Array", "Storage"]


class Storage(NoArithmetic):
    """Memory of a value of a storable type: `peek()` loads it and `poke(value)` stores it.

    Fields of a struct are attributes and elements of an array are items, each a Storage itself; numeric elements are
    loaded and stored directly: `s.count.peek()`, `s.count = 3`, `s.items[i]`, `s.items[i] = x`.
    """

    __slots__ = ("dtype", "ptr")
    ptr: Pointer
    dtype: Any

    def __init__(self, ptr: Pointer, dtype: StorableType) -> None:
        if not isinstance(ptr, Pointer):
            raise FrontendError(f"storage is at a pointer, found {ptr!r}; fx.get_iter(tensor) returns that of a tensor")
        object.__setattr__(self, "dtype", dtype)
        object.__setattr__(self, "ptr", pointer_to(dtype, ptr))

    def peek(self) -> Any:
        """Load the value: a number or a record; for arrays and unions, the storage itself."""
        return peek_from_ptr(self.dtype, self.ptr)

    def poke(self, value: StoredValue) -> None:
        """Store a value."""
        poke_into_ptr(self.dtype, self.ptr, value)

    def view(self, layout: LayoutLike) -> Tensor:
        """A tensor of the elements of an array, or of a single number, through `layout`.

        Raises FrontendError if a static layout exceeds the storage.
        """
        viewed = as_layout(layout)
        _check_swizzle(self.ptr, viewed)
        _check_extent(self, viewed)
        return self.ptr.view(viewed)

    def __getattr__(self, name: str) -> Storage:
        if name.startswith("__"):
            raise AttributeError(name)
        _, kind, offset = self._member(name)
        return Storage(pointer_to(kind, self.ptr, offset), kind)

    def __setattr__(self, name: str, value: StoredValue) -> None:
        _, kind, offset = self._member(name)
        poke_into_ptr(kind, pointer_to(kind, self.ptr, offset), value)

    def __getitem__(self, index: IntLike) -> StoredElement:
        element = self._element(index)
        return element.peek() if _is_numeric(element.dtype) else element  # type: ignore[return-value]

    def __setitem__(self, index: IntLike, value: StoredValue) -> None:
        self._element(index).poke(value)

    def __len__(self) -> int:
        return _array(self).count

    def _hint(self) -> str:
        advice = "read it with .peek()" if _is_numeric(_unaligned(self.dtype)) else "take a field or an element"
        return f"memory, not a number; {advice}"

    if not TYPE_CHECKING:  # to a type checker, memory has no such methods
        __fly_scalar__ = __bool__ = __index__ = NoArithmetic._refuse  # loads from memory must be explicit

    def __iter__(self) -> Iterator[StoredElement]:
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
            raise FrontendError(
                f"an element of {self!r} has one index, found {index!r}; .view(layout) returns a tensor"
            )
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


@dataclass(frozen=True, slots=True)
class ArrayType:
    """`Array[T, n]`: the type of n consecutive values of a storable type."""

    dtype: Any
    count: int

    def __dsl_size_of__(self) -> int:
        if isinstance(self.dtype, type) and issubclass(self.dtype, Numeric) and self.dtype.width > 1:
            return -(-self.dtype.width * self.count // 8)
        return dsl_size_of(self.dtype) * self.count

    def __dsl_align_of__(self) -> int:
        return dsl_align_of(self.dtype)

    def __peek_from_ptr__(self, ptr: Pointer) -> Storage:
        """The storage itself: an array is not copied into registers."""
        return Storage(ptr, self)

    def __poke_into_ptr__(self, ptr: Pointer, value: StoredValue) -> None:
        if not isinstance(value, Iterable) and not hasattr(value, "__getitem__"):
            raise FrontendError(f"{self!r} is written from {self.count} elements, found {value!r}")
        elements: list[StoredValue] = list(value)  # type: ignore[call-overload]
        if len(elements) != self.count:
            raise FrontendError(f"{self!r} is written from {self.count} elements, found {len(elements)}")
        storage = Storage(ptr, self)
        for index, element in enumerate(elements):
            storage[index] = element

    def __repr__(self) -> str:
        return f"Array[{type_name(self.dtype)}, {self.count}]"


@dataclass(frozen=True, slots=True)
class AlignType:
    """`Align[T, n]`: the type T at addresses that are multiples of n bytes."""

    dtype: Any
    align: int

    def __dsl_size_of__(self) -> int:
        return dsl_size_of(self.dtype)

    def __dsl_align_of__(self) -> int:
        return max(self.align, dsl_align_of(self.dtype))

    def __peek_from_ptr__(self, ptr: Pointer) -> Any:
        return peek_from_ptr(self.dtype, ptr)

    def __poke_into_ptr__(self, ptr: Pointer, value: StoredValue) -> None:
        poke_into_ptr(self.dtype, ptr, value)

    def __repr__(self) -> str:
        return f"Align[{type_name(self.dtype)}, {self.align}]"


class _ArrayForm(type):
    """The metaclass of `fx.Array`, which returns an `ArrayType` when indexed."""

    def __getitem__(cls, params: tuple[StorableType, int] | tuple[StorableType, int, int]) -> ArrayType | AlignType:
        if not isinstance(params, tuple) or len(params) not in (2, 3):
            raise definition_error(f"an array is written fx.Array[T, n] or fx.Array[T, n, align], found {params!r}")
        dtype, count, *align = params
        count = known_integer(count)
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            is_number = isinstance(count, int | float)
            advice = "" if is_number else "; it must be known while tracing: take it from a fx.Constexpr[int] parameter"
            raise definition_error(f"an array has a positive number of elements, found {params[1]!r}{advice}")
        if not is_storable(dtype):
            raise definition_error(f"an array holds a storable type such as fx.Float32, found {dtype!r}")
        array = ArrayType(dtype, count)
        if not align:
            return array
        return AlignType(array, check_alignment(align[0]))


class _AlignForm(type):
    """The metaclass of `fx.Align`, which returns an `AlignType` when indexed."""

    def __getitem__(cls, params: tuple[StorableType, int]) -> AlignType:
        if not isinstance(params, tuple) or len(params) != 2:
            raise definition_error(f"an alignment is written fx.Align[T, n], found fx.Align[{params!r}]")
        dtype, align = params
        check_alignment(align)
        if not is_storable(dtype):
            raise definition_error(f"an alignment is that of a storable type, found {dtype!r}")
        return AlignType(dtype, align)


if TYPE_CHECKING:  # a type and a number, which annotations take in this form only; to a type checker, the element type
    from typing import Annotated as Align
    from typing import Annotated as Array
else:

    class Array(metaclass=_ArrayForm):
        """`fx.Array[T, n]`: the type of n consecutive values of a storable type; `fx.Array[T, n, align]` aligns them to
        `align` bytes at least.
        """

    class Align(metaclass=_AlignForm):
        """`fx.Align[T, n]`: the type T at addresses that are multiples of n bytes."""

        dtype: Any = None
        align: int | None = None


def type_name(kind: StorableType) -> str:
    """The name of a type in messages."""
    return kind.__name__ if isinstance(kind, type) else repr(kind)


def check_alignment(align: int) -> int:
    """An alignment; FrontendError unless it is a power of two."""
    align = known_integer(align)
    if not isinstance(align, int) or align < 1 or align & (align - 1):
        raise definition_error(f"an alignment is a power of two in bytes, found {align!r}")
    return align


def definition_error(message: str) -> FrontendError:
    """An error with the location of the user's line, also outside of tracing."""
    return FrontendError(message, location=user_location())


def pointer_to(kind: StorableType, ptr: Pointer, offset: int = 0) -> Pointer:
    """The pointer `offset` bytes after `ptr`, to the elements of `kind` (bytes for a record)."""
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
    """The type inside any `Align`."""
    while isinstance(kind, AlignType):
        kind = kind.dtype
    return kind


def _array(storage: Storage) -> ArrayType:
    kind = _unaligned(storage.dtype)
    if not isinstance(kind, ArrayType):
        raise FrontendError(f"{storage!r} is not an array and has no elements; use its fields, peek or poke")
    return kind


def _check_extent(storage: Storage, layout: LayoutValue) -> None:
    """Raise FrontendError if a static layout exceeds the storage."""
    kind = _unaligned(storage.dtype)
    count = kind.count if isinstance(kind, ArrayType) else 1
    needed = cosize(layout)
    if needed.is_static and needed.is_leaf and int(needed) > count:
        raise FrontendError(f"{layout!r} reaches element {int(needed) - 1}, and {storage!r} has {count}; allocate more")


def _check_swizzle(ptr: Pointer, layout: LayoutValue) -> None:
    """Copies apply a swizzle of offsets to addresses, which is the same if the address is a multiple of its period."""
    inner: Any = getattr(layout.payload, "inner", None)
    if not (hasattr(inner, "mask") and hasattr(inner, "shift")) or ptr.dtype is None:
        return
    period = (1 << (inner.mask + inner.base + inner.shift)) * ptr.dtype.width // 8
    if ptr.alignment % period:
        raise FrontendError(
            f"swizzle {inner} repeats every {period} bytes, and {ptr!r} is aligned to {ptr.alignment}; "
            f"allocate with alignment={period}"
        )
