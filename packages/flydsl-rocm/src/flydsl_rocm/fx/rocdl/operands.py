"""Operands of ROCDL operations: values of the language as SSA values of the types that the operations have.

An integer type, or a vector of integers, takes any value of as many bits: matrix instructions have their operands so.
"""

from __future__ import annotations

import re
from typing import Any

from flydsl.backend.language import current, numeric_by_type
from flydsl.base.errors import FrontendError
from flydsl.expr import (
    BFloat16,
    Boolean,
    Float16,
    Float32,
    Float64,
    Int8,
    Int16,
    Int32,
    Int64,
    Numeric,
    Pointer,
    Vector,
    as_numeric,
)
from flydsl_rocm.rocdl import Argument

DTYPES: dict[str, type[Numeric]] = {
    **{"i1": Boolean, "i8": Int8, "i16": Int16, "i32": Int32, "i64": Int64},
    **{"f16": Float16, "bf16": BFloat16, "f32": Float32, "f64": Float64},
}
"""Numeric types by MLIR's names."""
_VECTOR = re.compile(r"v(\d+)(\w+)")
_SPACES = {"generic": 0, "global": 1, "shared": 3, "register": 5}
_BUFFER = 8
"""LLVM's numbers of address spaces."""


def is_type(value: Any) -> bool:
    """Whether a value is a type, in one of the forms that `type_of` takes."""
    from xdsl.ir import TypeAttribute

    return isinstance(value, type | TypeAttribute)


def type_of(value: Any) -> Any:
    """The MLIR type of a numeric type, of a vector type or of one of MLIR itself."""
    if not isinstance(value, type):
        return value
    if issubclass(value, Vector) and value is not Vector:
        return Vector.make_type(value.extents, value.dtype)
    if not issubclass(value, Numeric):
        raise FrontendError(f"a result type is one such as fx.Int32 or fx.Float32x4, found {value!r}")
    return value.ir_type_of()


def as_operand(function: str, argument: Argument, value: Any) -> Any:
    """The SSA value for `argument`; FrontendError when the value has another type."""
    kind = argument.type
    if argument.kind in "#!":
        value = _constant(value)
    if argument.kind in "#!" and not _is_known(value):
        raise FrontendError(f"fx.rocdl.{function}: {argument.name} is known while tracing, found {value!r}")
    is_pointer = re.fullmatch(r"p[\d*]", kind)
    converted = _pointer(value, kind) if is_pointer else _number(_typed(value), kind)
    if converted is None:
        raise FrontendError(f"fx.rocdl.{function}: {argument.name} is {_described(kind)}, found {value!r}")
    return converted


def _constant(value: Any) -> Any:
    """The number behind an SSA value that a constant made, as raw operations have their immediates; others as is."""
    source = getattr(value, "value", value)  # of a scalar of the language
    owner: Any = getattr(source, "owner", None)
    if getattr(owner, "name", "") not in ("arith.constant", "llvm.mlir.constant"):
        return value
    number: Any = getattr(owner.properties["value"], "value", None)
    return number.data if isinstance(getattr(number, "data", None), int) else value


def _is_known(value: Any) -> bool:
    return isinstance(value, int) or (isinstance(value, Numeric) and bool(value.is_static))


def _typed(value: Any) -> Any:
    """A scalar or vector of the language; an SSA value of a type without counterpart as it is."""
    if isinstance(value, bool | int | float | Numeric):
        return as_numeric(value)
    type_ = getattr(value, "type", None)
    if not isinstance(value, Vector) and (hasattr(type_, "element_type") or type_ in numeric_by_type()):
        return current().box(value)
    return value


def _number(value: Any, kind: str) -> Any:
    if isinstance(value, Numeric) and value.is_static and kind in DTYPES:
        dtype = DTYPES[kind]
        return dtype(value).ir_value() if dtype.is_float or not value.is_float else None
    if not isinstance(value, Numeric | Vector):
        return value if kind == "*" and hasattr(value, "type") else None
    vector = _VECTOR.fullmatch(kind)
    if vector:
        return _vector(value, int(vector[1]), vector[2])
    if kind in ("*", "f", "f*"):
        return value.ir_value() if kind == "*" or value.dtype.is_float else None
    element = kind.removesuffix("*")
    if kind.endswith("*") and element != "i":
        return value.ir_value() if value.dtype.ir_type_of() == DTYPES[element].ir_type_of() else None
    if element == "i":
        return _as_integers(value).ir_value()
    return _scalar(value, element)


def _scalar(value: Numeric | Vector, element: str) -> Any:
    """One of `element`, of the same bits when that is an integer."""
    dtype = DTYPES[element]
    type_ = dtype.ir_type_of()
    if isinstance(value, Numeric) and value.dtype.ir_type_of() == type_:
        return value.ir_value()
    if dtype.is_float or _bits(value) != dtype.width:
        return None
    if isinstance(value, Numeric):
        return value.bitcast(dtype).ir_value()
    return _as_integers(value).bitcast(dtype)[0].ir_value()


def _vector(value: Numeric | Vector, count: int, element: str) -> Any:
    dtype = DTYPES[element]
    if isinstance(value, Vector) and value.numel == count and value.dtype.ir_type_of() == dtype.ir_type_of():
        return value.reshape(count).ir_value()
    if dtype.is_float or _bits(value) != count * dtype.width:
        return None
    whole = value if isinstance(value, Vector) else Vector.from_elements([value])
    return _as_integers(whole.reshape(whole.numel)).bitcast(dtype).ir_value()


def _as_integers(value: Any) -> Any:
    """The bits of floats as integers of their width."""
    if not value.dtype.is_float:
        return value
    return value.bitcast(DTYPES[f"i{value.dtype.width}"])


def _bits(value: Numeric | Vector) -> int:
    return value.dtype.width * (value.numel if isinstance(value, Vector) else 1)


def _pointer(value: Any, kind: str) -> Any:
    """The address of a pointer in the address space of `kind`, or the resource of one to buffer memory."""
    wanted = None if kind == "p*" else int(kind[1:])
    if isinstance(value, Pointer):
        from .buffer import get_buffer_rsrc

        space = _space_of(value)
        if wanted not in (None, space):
            return None
        return get_buffer_rsrc(value) if space == _BUFFER else _address(value, space)
    type_ = str(getattr(value, "type", ""))
    if not type_.startswith("!llvm.ptr"):
        return None
    space = int("0" + type_.removeprefix("!llvm.ptr").strip("<>"))
    return value if wanted in (None, space) else None


def _space_of(value: Pointer) -> int:
    from flydsl.backend.ir import AddressSpaceAttr

    space = value.address_space
    return _SPACES[str(space.data)] if isinstance(space, AddressSpaceAttr) else _BUFFER


def _address(value: Pointer, space: int) -> Any:
    emitter = current()
    attributes = {"llvm_address_space": emitter.integer(space)} if space else {}
    return emitter.fly("to_llvm_ptr", [value.ir_value()], attributes)


def _described(kind: str) -> str:
    if kind.startswith("p"):
        spaces = {number: name for name, number in _SPACES.items()} | {_BUFFER: "buffer"}
        return f"a pointer to {spaces.get(int(kind[1:]), '') if kind != 'p*' else 'any'} memory"
    vector = _VECTOR.fullmatch(kind)
    return (
        f"a vector of {vector[1]} {vector[2]}"
        if vector
        else {"i*": "integers", "*": "a value"}.get(kind, kind.rstrip("*"))
    )
