"""Emission of single ROCDL operations and LLVM intrinsics at the insertion point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from flydsl.backend.language import current, user_location
from flydsl.base.errors import FrontendError
from flydsl.expr import Numeric, Vector, as_numeric

if TYPE_CHECKING:
    from xdsl.ir import Operation


def operation(
    name: str, operands: Sequence[Any] = (), results: Sequence[Any] = (), attributes: Mapping[str, Any] | None = None
) -> Any:
    """`rocdl.<name>`: its only result, or None."""
    from flydsl_rocm.rocdl import operation_class

    return create(operation_class(name), operands, results, attributes)


def create(
    op_class: type[Operation],
    operands: Sequence[Any],
    results: Sequence[Any],
    attributes: Mapping[str, Any] | None = None,
) -> Any:
    """An operation of a class that the core does not know: its only result, or None."""
    builder = current().builder
    builder.location = user_location()
    op = builder.create(op_class, list(operands), list(results), attributes=dict(attributes or {}))
    return op.results[0] if op.results else None


def intrinsic(name: str, operands: Sequence[Any] = (), results: Sequence[Any] = ()) -> Any:
    """`llvm.amdgcn.<name>`, for what the ROCDL dialect does not define; overloaded ones without type suffix."""
    emitter = current()
    properties = {
        "intrin": emitter.attribute(f"llvm.amdgcn.{name}"),
        "op_bundle_sizes": emitter.integers([], 32),
        "operandSegmentSizes": emitter.integers([len(operands), 0], 32),
    }
    op = emitter.op("llvm.call_intrinsic", list(operands), list(results), properties=properties)
    return op.results[0] if op.results else None


def immediate(name: str, value: Any, width: int = 32, *, below: int | None = None) -> Any:
    """An integer attribute of a value known while tracing, from 0 up to `below`."""
    limit = 1 << width if below is None else below
    number = count(name, value)
    if number >= limit:
        raise FrontendError(f"fx.rocdl.{name} takes a number from 0 to {limit - 1}, found {number}")
    return current().integer(number - (1 << width) if number >> (width - 1) and width > 1 else number, width)


def count(name: str, value: Any) -> int:
    """A non-negative Python int known while tracing."""
    scalar_value = as_numeric(value)
    if not scalar_value.is_static or scalar_value.is_float or int(scalar_value.value) < 0:
        raise FrontendError(f"fx.rocdl.{name} takes a non-negative integer known while tracing, found {value!r}")
    return int(scalar_value.value)


def scalar(name: str, value: Any, dtype: type[Numeric]) -> Any:
    """The SSA value of a scalar of `dtype`; integers of the same width are taken as their bits."""
    number = as_numeric(value)
    if number.is_static or number.dtype is dtype:
        return dtype(number).ir_value()
    if number.is_float != dtype.is_float or number.width != dtype.width:
        raise FrontendError(f"fx.rocdl.{name} takes {dtype.__name__}, found {number!r}")
    return number.ir_value()


def values(name: str, arguments: tuple[Any, ...], *expected: int) -> tuple[Any, ...]:
    """The arguments without a result type in front, which kernels written with raw operations pass."""
    has_type = arguments and not isinstance(arguments[0], Numeric | Vector | int | float)
    operands = arguments[1:] if has_type else arguments
    if len(operands) not in expected:
        raise FrontendError(f"fx.rocdl.{name} takes {' or '.join(map(str, expected))} values, found {len(operands)}")
    return operands
