"""The `fly_ktrace` dialect: annotations of a kernel that record when which thread passed, as operations and a dialect.

Upstream names these operations and calls them unstable; operands and the form of a record are defined here and in
`flydsl.passes.convert_fly_ktrace`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Dialect
from xdsl.utils.exceptions import VerifyException

from flydsl.ir.fly.base import FlyType
from flydsl.ir.fly.effects import ACTS_OUTSIDE, PURE
from flydsl.ir.fly.fields import Attr, Operand, OptionalOperand
from flydsl.ir.fly.op import FlyOp, check_operand, check_result

__all__ = [
    "KTRACE",
    "InactiveTokenOp",
    "MarkOp",
    "RangePopOp",
    "RangePushOp",
    "RangeStartOp",
    "RangeStopOp",
    "RecordOp",
    "TokenType",
]


@dataclass(frozen=True, eq=False, repr=False)
class TokenType(FlyType):
    """A range that was started: what `range_stop` needs to end it."""

    name: ClassVar[str] = "fly_ktrace.token"


class RecordOp(FlyOp):
    """Base of the operations that write a record with a label and at most one integer."""

    traits = ACTS_OUTSIDE
    results_expected = (0, 0)
    payload = OptionalOperand()
    label = Attr(str)

    def verify_types(self) -> None:
        for index, value in enumerate(self.operands):
            if not isinstance(value.type, IntegerType) or value.type.width.data not in (32, 64):
                raise VerifyException(f"operand {index} of {self.name} must be i32 or i64, found {value.type}")


class MarkOp(RecordOp):
    """`([payload]) {label} -> ()`: this thread is here."""

    name = "fly_ktrace.mark"


class RangePushOp(RecordOp):
    """`([payload]) {label} -> ()`: a range of this thread begins inside of the one that is open."""

    name = "fly_ktrace.range_push"


class RangePopOp(FlyOp):
    """`() -> ()`: the innermost range that this thread has pushed ends."""

    name = "fly_ktrace.range_pop"
    traits = ACTS_OUTSIDE
    results_expected = (0, 0)


class RangeStartOp(RecordOp):
    """`([payload]) {label} -> token`: a range begins that may end anywhere, in any order."""

    name = "fly_ktrace.range_start"
    results_expected = (1, 1)

    def verify_types(self) -> None:
        super().verify_types()
        check_result(self, TokenType, "a token")


class RangeStopOp(FlyOp):
    """`(token) -> ()`: the range of the token ends; an inactive token records nothing."""

    name = "fly_ktrace.range_stop"
    traits = ACTS_OUTSIDE
    results_expected = (0, 0)
    token = Operand()

    def verify_types(self) -> None:
        check_operand(self, 0, TokenType, "a token")


class InactiveTokenOp(FlyOp):
    """`() -> token`: the token of no range, for the path on which none was started."""

    name = "fly_ktrace.inactive_token"
    traits = PURE

    def verify_types(self) -> None:
        check_result(self, TokenType, "a token")


KTRACE = Dialect(
    "fly_ktrace", [MarkOp, RangePushOp, RangePopOp, RangeStartOp, RangeStopOp, InactiveTokenOp], [TokenType]
)
"""The dialect, for `Context.load_dialect`."""
