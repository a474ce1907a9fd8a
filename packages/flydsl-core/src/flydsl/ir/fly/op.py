"""The base class of Fly operations: operands by name, attributes as Python values, one syntax, one verifier.

    class MakeLayoutOp(InferredOp):
        name = "fly.make_layout"
        shape, stride = Operand(), Operand()

Attributes are discardable; properties in generic text are accepted too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar

from xdsl.ir import Attribute, Operation, OpTraits, SSAValue
from xdsl.utils.exceptions import VerifyException

from flydsl.base.errors import FlyDSLError
from flydsl.ir.fly.attributes import as_python
from flydsl.ir.fly.effects import BY_OPERANDS, PURE
from flydsl.ir.fly.element import element_bits
from flydsl.ir.fly.fields import Attr, OperandField
from flydsl.ir.fly.infer import infer_results
from flydsl.ir.fly.syntax import SEGMENTS, Form, OpSyntax
from flydsl.ir.fly.types import CoordTensorType, MemRefType, PointerType


class FlyOp(OpSyntax):
    """Base of all operations of the dialect."""

    traits: ClassVar[OpTraits] = BY_OPERANDS
    operand_fields: ClassVar[tuple[OperandField, ...]] = ()
    attribute_fields: ClassVar[tuple[Attr[Any], ...]] = ()
    results_expected: ClassVar[tuple[int, int | None]] = (1, 1)
    segmented: ClassVar[bool] = False
    """True when operand counts are in `operandSegmentSizes`: more than one optional operand, or one before others."""
    device_only: ClassVar[str] = ""
    """What the operation does, as a phrase for the message that refuses it in host code; empty: hosts do it too."""

    @property
    def result(self) -> SSAValue:
        """The only result."""
        return self.results[0]

    def operand_start(self, index: int) -> int:
        """Where the operands of field number `index` begin."""
        if not self.segmented:
            return min(index, len(self._operands))
        return sum(self.segment_sizes[:index])

    @property
    def segment_sizes(self) -> tuple[int, ...]:
        """Operands of each field, of a segmented operation."""
        sizes = self.get_attr_or_prop(SEGMENTS)
        value = _numbers(sizes) if sizes is not None else ()
        if not isinstance(value, tuple) or len(value) != len(self.operand_fields):
            raise VerifyException(
                f"{self.name} needs {SEGMENTS} of {len(self.operand_fields)} numbers, found {value!r}"
            )
        return value

    @property
    def all_attributes(self) -> Mapping[str, Attribute]:
        """Attributes and properties together."""
        return {**self.properties, **self.attributes} if self.properties else self.attributes

    def verify_(self) -> None:
        try:
            self._verify_operands()
            for field in self.attribute_fields:
                field.read(self)
            least, most = self.results_expected
            if len(self.results) < least or (most is not None and len(self.results) > most):
                raise VerifyException(f"{self.name} has {least} results, found {len(self.results)}")
            self.verify_types()
        except FlyDSLError as error:
            raise VerifyException(str(error)) from error

    def verify_types(self) -> None:
        """Check operand and result types; counts and attributes are right already."""

    def _verify_operands(self) -> None:
        fields = self.operand_fields
        if self.segmented:
            counts = self.segment_sizes
            if sum(counts) != len(self.operands):
                raise VerifyException(f"{SEGMENTS} {counts} does not add up to {len(self.operands)} operands")
            ranges = [(field.name, count, field.least, field.most) for field, count in zip(fields, counts, strict=True)]
        else:
            most = None if any(f.most is None for f in fields) else len(fields)
            ranges = [
                (f"({', '.join(f.name for f in fields)})", len(self.operands), sum(f.least for f in fields), most)
            ]
        for name, count, least, most in ranges:
            if count < least or (most is not None and count > most):
                raise VerifyException(f"{self.name} takes {name}, found {count} operands")


@lru_cache(maxsize=1024)
def _numbers(sizes: Attribute) -> object:
    return as_python(sizes)


class InferredOp(FlyOp):
    """An operation, pure unless it says otherwise, whose result type follows from operand types and attributes."""

    traits = PURE

    def verify_types(self) -> None:
        inferred = infer_results(self.name, self.operand_types, self.all_attributes)
        if tuple(self.result_types) != inferred:
            found, expected = (", ".join(map(str, types)) for types in (self.result_types, inferred))
            raise VerifyException(f"{self.name} gives {expected}, but its result is declared as {found}")


class ConstantOp(FlyOp):
    """An operation without operands: `fly.op {attributes} : type`."""

    traits = PURE
    form = Form.CONSTANT


def check_operand(op: Operation, index: int, kinds: type | tuple[type, ...], what: str) -> Attribute:
    """The type of an operand, which must be one of `kinds`."""
    found = op.operands[index].type
    if not isinstance(found, kinds):
        raise VerifyException(f"operand {index} of {op.name} must be {what}, found {found}")
    return found


def check_result(op: Operation, kinds: type | tuple[type, ...], what: str) -> Attribute:
    """The type of the result, which must be one of `kinds`."""
    found = op.results[0].type
    if not isinstance(found, kinds):
        raise VerifyException(f"the result of {op.name} must be {what}, found {found}")
    return found


def check_tensors(op: Operation, *values: SSAValue | None, or_values: bool = False) -> None:
    """What an atom reads, writes or is predicated by: tensors; with `or_values` also pointers, scalars or vectors."""
    for value in values:
        if value is None or isinstance(value.type, MemRefType | CoordTensorType):
            continue
        if not or_values:
            index = op.operands.index(value)
            raise VerifyException(f"operand {index} of {op.name} must be a tensor, found {value.type}")
        if not isinstance(value.type, PointerType):
            element_bits(value.type)


def check_operands(op: Operation, checks: Sequence[tuple[type | tuple[type, ...], str]]) -> None:
    """`check_operand` of the first operands."""
    for index, (kinds, what) in enumerate(checks):
        check_operand(op, index, kinds, what)
