"""Typed pointers: construction, offsets, reinterpretation, loads and stores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from flydsl.base.errors import FrontendError
from flydsl.expr.layouts.int_tuple import IntTuple, as_int_tuple
from flydsl.expr.layouts.layout import Swizzle, as_layout
from flydsl.expr.layouts.value import StructuredValue
from flydsl.expr.memory.address_space import pointer_type, retyped_pointer
from flydsl.expr.memory.memory_format import loaded, memory_dtype, stored
from flydsl.expr.memory.memory_value import Addressed
from flydsl.expr.numbers.literals import known_number
from flydsl.expr.numbers.registry import is_ssa_value, numeric_by_type
from flydsl.expr.numbers.vector import Vector, vector_class
from flydsl.expr.numeric import Int64, Numeric, as_numeric
from flydsl.expr.tracing.context import current

if TYPE_CHECKING:
    from xdsl.ir import Attribute, SSAValue

    from flydsl import layout as algebra
    from flydsl.expr.memory.tensor import Tensor
    from flydsl.expr.numbers.vector import Vector
    from flydsl.expr.values.operand_types import (
        ElementType,
        IntLike,
        IntTupleLike,
        LayoutLike,
        NumericT,
        OperandLike,
        StructuredLike,
        VectorLike,
        VectorT,
    )
    from flydsl.expr.values.traced_types import Scalar, ScalarOrVector, Structure

__all__ = [
    "Pointer",
    "add_offset",
    "apply_swizzle",
    "assume",
    "get_iter",
    "inttoptr",
    "make_ptr",
    "ptr_load",
    "ptr_store",
    "ptrtoint",
    "recast_iter",
    "to_llvm_ptr",
]


class Pointer(Addressed):
    """The address of typed elements in one address space."""

    __slots__ = ()

    @property
    def dtype(self) -> type[Numeric] | None:
        """The numeric type of the elements, None if the language has no such type."""
        return self._dtype

    element_type = dtype

    @property
    def llvm_ptr(self) -> SSAValue:
        """The address as an SSA value of type `!llvm.ptr`."""
        return to_llvm_ptr(self)

    def __add__(self, offset: IntTupleLike) -> Pointer:
        return add_offset(self, offset)

    @overload
    def load(self) -> Scalar: ...
    @overload
    def load(self, dtype: type[NumericT]) -> NumericT: ...
    @overload
    def load(self, dtype: type[VectorT]) -> VectorT: ...
    @overload
    def load(self, dtype: Attribute) -> ScalarOrVector: ...
    def load(self, dtype: ElementType | None = None) -> Numeric | Vector:
        """The element at the pointer; with `dtype`, a numeric or vector type, a value of that type."""
        return ptr_load(self, dtype)

    def store(self, value: VectorLike) -> None:
        """Store `value`, converted to the element type, at the pointer."""
        ptr_store(value, self)

    def _recast(self, result_type: type[Numeric] | Attribute) -> Pointer:
        return recast_iter(result_type, self)

    def view(self, layout: LayoutLike) -> Tensor:
        """A tensor at this address."""
        return current().fly_call("make_view", [self, as_layout(layout)], {}, dtype=self.dtype)

    def __getitem__(self, offset: IntTupleLike) -> Scalar:
        return (self + offset).load()

    def __setitem__(self, offset: IntTupleLike, value: VectorLike) -> None:
        (self + offset).store(value)


def get_iter(memref: Tensor) -> Structure:
    """The pointer of a tensor, or the base coordinate of a coordinate tensor."""
    return current().fly_call("get_iter", [memref], {})


def add_offset(ptr: Pointer | IntTupleLike, offset: IntTupleLike) -> Structure:
    """A pointer advanced by `offset` elements, or the sum of two coordinates."""
    base = ptr if isinstance(ptr, Pointer) else as_int_tuple(ptr)
    return current().fly_call("add_offset", [base, as_int_tuple(offset)], {})


@overload
def ptr_load(ptr: Pointer, result_type: None = None) -> Scalar: ...
@overload
def ptr_load(ptr: Pointer, result_type: type[NumericT]) -> NumericT: ...
@overload
def ptr_load(ptr: Pointer, result_type: type[VectorT]) -> VectorT: ...
@overload
def ptr_load(ptr: Pointer, result_type: Attribute) -> ScalarOrVector: ...
def ptr_load(ptr: Pointer, result_type: ElementType | None = None) -> Numeric | Vector:
    """The scalar at `ptr`; with `result_type`, a numeric type or an MLIR vector type, a value of that type."""
    _check_pointer("ptr_load", ptr)
    if result_type is None and ptr.dtype is None:
        raise FrontendError(f"{ptr!r} has an element type that cannot be loaded as a scalar")
    kind = vector_class(result_type)
    if kind is not None:
        memory = current().type(memory_dtype(kind.dtype, ptr.value_type), kind.shape)
        value = current().value("fly.ptr.load", [ptr.ir_value()], memory)
        return kind(loaded(kind.dtype, ptr.value_type, value, kind.shape).ir_value())  # type: ignore[no-any-return]
    dtype: Any = result_type or ptr.dtype
    dtype = numeric_by_type().get(dtype, dtype)
    if not (isinstance(dtype, type) and issubclass(dtype, Numeric)):
        raise FrontendError(f"ptr_load reads a numeric type or a vector of one, found {result_type!r}")
    memory = current().type(memory_dtype(dtype, ptr.value_type))
    return loaded(dtype, ptr.value_type, current().value("fly.ptr.load", [ptr.ir_value()], memory))  # type: ignore[no-any-return]


def ptr_store(value: VectorLike, ptr: Pointer) -> None:
    """Store a scalar or vector, converted to the pointer's element type, at `ptr`."""
    _check_pointer("ptr_store", ptr)
    if ptr.dtype is None:
        raise FrontendError(f"{ptr!r} has an element type that cannot be stored as a scalar")
    if is_ssa_value(value) and vector_class(value.type) is not None:
        value = Vector(value)
    converted = value.to(ptr.dtype) if isinstance(value, Vector) else ptr.dtype(known_number(value))
    current().op("fly.ptr.store", [stored(ptr.value_type, converted), ptr.ir_value()])


def recast_iter(result_type: type[Numeric] | Attribute, src: Pointer) -> Pointer:
    """A pointer to the same address of another type: `result_type` is a `PointerType` or a numeric element type."""
    _check_pointer("recast_iter", src)
    if isinstance(result_type, type) and issubclass(result_type, Numeric):
        return _pointer("recast_iter", [src.ir_value()], retyped_pointer(src.payload, result_type), result_type)
    return _pointer("recast_iter", [src.ir_value()], _checked_type("recast_iter", result_type))


def inttoptr(result_type: Attribute, src: IntLike) -> Pointer:
    """A pointer of the type `result_type` (a `PointerType`) from an integer address."""
    address = as_numeric(src)
    if address.dtype.is_float:
        raise FrontendError(f"inttoptr takes an integer address, found {address!r}")
    return _pointer("inttoptr", [address.ir_value()], _checked_type("inttoptr", result_type))


def ptrtoint(ptr: Pointer) -> Int64:
    """The address of `ptr` in its address space, in bytes."""
    _check_pointer("ptrtoint", ptr)
    return Int64.wrap(current().value("fly.ptrtoint", [ptr.ir_value()], current().type(Int64)))


def to_llvm_ptr(ptr: Pointer) -> SSAValue:
    """The generic address of `ptr`, with its swizzle applied, as an SSA value of type `!llvm.ptr`."""
    _check_pointer("to_llvm_ptr", ptr)
    return current().fly("to_llvm_ptr", [ptr.ir_value()])


def apply_swizzle(ptr: Pointer, swizzle: Swizzle | algebra.Swizzle | Attribute) -> Pointer:
    """`ptr` with a swizzle that permutes the bits of the *byte* address of every access.

    The pointer must be aligned to 2**(mask + base) bytes, the block within which the swizzle permutes, so that no
    access is outside its memory.
    """
    _check_pointer("apply_swizzle", ptr)
    payload: Any = getattr(swizzle, "payload", getattr(swizzle, "value", swizzle))
    if ptr.payload.swizzle is not None:
        raise FrontendError(f"{ptr!r} has a swizzle already; apply the new one to a pointer without")
    block = 1 << (payload.mask + payload.base)
    if ptr.alignment % block:
        raise FrontendError(
            f"swizzle {payload} permutes blocks of {block} bytes, and {ptr!r} is aligned to {ptr.alignment}; "
            f"allocate with alignment={block}"
        )
    return current().fly_call("apply_swizzle", [ptr, Swizzle(payload)], {})


def make_ptr(result_type: Attribute, args: Sequence[Any], *, dict_attrs: Mapping[str, Any] | None = None) -> Pointer:
    """A target-specific pointer: an allocation of n bytes (`dict_attrs={"allocSize": n}`), or one built from `args`."""
    emitter = current()
    operands = [_operand(arg) for arg in args]
    attributes = {"dictAttrs": emitter.dictionary(dict_attrs)} if dict_attrs else {}
    return _pointer("make_ptr", operands, _checked_type("make_ptr", result_type), attributes=attributes)


def assume(result_type: Attribute | algebra.IntTuple, dst: StructuredLike, src: Pointer | IntTupleLike) -> Structure:
    """`src` with the properties (width, divisibility, alignment) of `result_type`, which are assumed, not checked.

    `result_type` is the type of a pointer, or an int tuple of the algebra such as `Dyn(32, 16)`.
    """
    emitter = current()
    source = src if isinstance(src, Pointer) else as_int_tuple(src)
    target = dst if isinstance(dst, StructuredValue) else as_int_tuple(dst)
    kind = _checked_type("assume", result_type) if isinstance(source, Pointer) else emitter.fly_type(result_type)
    if isinstance(source, IntTuple) and (source.is_static or type(source.ir_type) is not type(kind)):
        raise FrontendError(f"assume keeps the kind of a dynamic value, found {source!r} for {kind}")
    value = emitter.value("fly.assume", [target.ir_value(), source.ir_value()], kind)
    return emitter.box(value)  # type: ignore[no-any-return]


def _pointer(
    name: str, operands: list[Any], kind: Attribute, dtype: type[Numeric] | None = None, **extra: Any
) -> Pointer:
    return Pointer(kind, current().value(f"fly.{name}", operands, kind, **extra), dtype)


def _checked_type(function: str, kind: object) -> Attribute:
    from flydsl.ir.fly.types import PointerType

    if not isinstance(kind, PointerType):
        raise FrontendError(f"{function} needs a pointer type such as fx.PointerType.get(fx.Float32), found {kind!r}")
    return pointer_type(kind.element, kind.space, kind.align, kind.swizzle)  # type: ignore[no-any-return]


def _check_pointer(function: str, ptr: object) -> None:
    if not isinstance(ptr, Pointer):
        raise FrontendError(f"{function} needs a pointer, found {ptr!r}; fx.get_iter(tensor) returns that of a tensor")


def _operand(arg: OperandLike) -> SSAValue:
    return arg.ir_value() if hasattr(arg, "ir_value") else as_numeric(arg).ir_value()  # type: ignore[arg-type]
