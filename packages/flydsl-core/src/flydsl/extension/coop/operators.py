"""Binary operators of reductions and scans: how values combine, and from what."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypedDict, TypeVar, Unpack

from flydsl.base.errors import FrontendError
from flydsl.expr import arith
from flydsl.expr.numbers.reduction import ReductionOp
from flydsl.expr.numeric import Boolean, Int32, Numeric

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import IntLike

Element = TypeVar("Element")
"""A Numeric, or a Vector, record or tuple of Numerics, that one thread holds."""


@dataclass(frozen=True, slots=True)
class Operator(Generic[Element]):
    """`combine(left, right)` of two elements, with operands in the order of the threads that have them."""

    combine: Callable[[Element, Element], Element]
    identity: Element | None = None
    commutative: bool = False
    kind: ReductionOp | None = None


class ReduceOptions(TypedDict, total=False):
    """How many first lanes count, and the identity of an operator that is a function."""

    valid_items: IntLike | None
    identity: object


class ScanOptions(ReduceOptions, total=False):
    """The same, and what goes in front of a scan."""

    init: object


class WarpFunctions(Protocol):
    """What reduces and scans warps: a module of `fx.coop` or one that a target has."""

    def warp_reduce(
        self, value: Element, op: object, *, width: int | None = None, **options: Unpack[ReduceOptions]
    ) -> Element: ...
    def warp_inclusive_scan(
        self, value: Element, op: object, *, width: int | None = None, **options: Unpack[ScanOptions]
    ) -> Element: ...
    def warp_exclusive_scan(
        self, value: Element, op: object, *, width: int | None = None, **options: Unpack[ScanOptions]
    ) -> Element: ...
    def warp_scan(
        self, value: Element, op: object, *, width: int | None = None, **options: Unpack[ScanOptions]
    ) -> tuple[Element, Element]: ...
    def warp_scan_with_aggregate(
        self, value: Element, op: object, *, width: int | None = None, **options: Unpack[ScanOptions]
    ) -> tuple[Element, Element, Element]: ...


def operator_of(op: object, value: Element, identity: object = None) -> Operator[Element]:
    """The operator `op`, a ReductionOp or a function of two elements like `value`.

    A function may have attributes `identity` and `commutative`. FrontendError (a TypeError) for anything else.
    """
    if isinstance(op, ReductionOp):
        kind: Any = _dtype(op, value)
        if kind is Boolean and op is ReductionOp.ADD:
            raise FrontendError(
                "the sum of Booleans is their number, which is no Boolean: convert with .to(fx.Int32) first, as for "
                "BlockReduce[fx.Int32, ...]; fx.ReductionOp.MAX tells whether any is true, MIN whether all are"
            )
        own = kind(identity) if identity is not None else kind(_identity(op, kind))
        return Operator(lambda a, b: _combined(op, kind, a, b), own, True, op)
    if not callable(op) or isinstance(op, type):
        raise FrontendError(
            f"op is fx.ReductionOp.ADD, MUL, MAX or MIN, or a function of two values such as lambda a, b: a + b, "
            f"found {op!r}"
        )
    function: Any = op
    given = identity if identity is not None else getattr(function, "identity", None)
    dtype: Any = value.dtype if isinstance(value, Numeric) else None
    return Operator(
        lambda a, b: _converted(function(a, b), dtype),
        given if given is None or dtype is None else dtype(given),
        getattr(function, "commutative", False) is True,
    )


def summed(op: object, value: Element) -> Element:
    """An element as it is summed: a Boolean counts as 0 or 1."""
    if op is not ReductionOp.ADD or not isinstance(value, Boolean):
        return value
    number: Any = value.to(Int32)
    return number  # type: ignore[no-any-return]


def _dtype(op: ReductionOp, value: object) -> type[Numeric]:
    if not isinstance(value, Numeric):
        raise FrontendError(f"{op} combines numbers, found {value!r}; pass a function of two values as op")
    return value.dtype


def _combined(op: ReductionOp, dtype: type[Numeric], a: Numeric, b: Numeric) -> Numeric:
    if dtype is Boolean:
        return a | b if op is ReductionOp.MAX else a & b
    if op is ReductionOp.ADD:
        return dtype(a + b)
    if op is ReductionOp.MUL:
        return dtype(a * b)
    return dtype(arith.max(a, b) if op is ReductionOp.MAX else arith.min(a, b))


def _identity(op: ReductionOp, dtype: type[Numeric]) -> int | float | bool:
    if dtype is Boolean:
        return op in (ReductionOp.MUL, ReductionOp.MIN)
    if op in (ReductionOp.ADD, ReductionOp.MUL):
        return int(op is ReductionOp.MUL)
    if dtype.is_float:
        return -math.inf if op is ReductionOp.MAX else math.inf
    values = 1 << dtype.width
    least = -values // 2 if dtype.is_signed else 0
    return least if op is ReductionOp.MAX else least + values - 1


def _converted(result: Element, dtype: Callable[[Element], Element] | None) -> Element:
    """A result of a function as an element: numbers have the type of the operands."""
    return result if dtype is None or getattr(result, "dtype", None) is dtype else dtype(result)
