"""The text of Fly operations: `%r = fly.op(operands) {attributes} : (types) -> type`, and what differs from that.

    fly.op<n>(...)             an integer attribute in angles
    fly.op(a, %x)              a leading attribute
    fly.op(%x, "field", %y)    a quoted attribute after the first operand
    fly.op(%x, stages = 2)     a trailing integer attribute
    fly.op(%x) dst = %y        an optional last operand behind the parentheses
    fly.op() : type            the result's type instead of a function type
    fly.op {attributes} : type a constant, without parentheses

An attribute with a place of its own is also read from the dictionary.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import ClassVar, Self, TypeAlias

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from flydsl.ir.fly.attributes import as_python, integer

SEGMENTS = "operandSegmentSizes"
Leading: TypeAlias = tuple[str, Callable[[Parser], Attribute], Callable[[Attribute], str]]


class Form(Enum):
    """What the text of an operation consists of besides attributes."""

    CALL = auto()
    """Operands in parentheses and a function type."""
    SOURCE = auto()
    """Empty parentheses and the result's type; a function type is read too."""
    CONSTANT = auto()
    """The result's type."""


@dataclass(frozen=True, slots=True)
class Behind:
    """An optional last operand that is printed behind the parentheses; older text has it inside them."""

    word: str
    older_place: int
    count: int
    """Operands with this one."""


class OpSyntax(Operation):
    """Base of operations with this syntax."""

    form: ClassVar[Form] = Form.CALL
    in_angles: ClassVar[str] = ""
    """An integer attribute printed as `fly.op<n>`."""
    leading: ClassVar[Leading | None] = None
    """An attribute printed first inside the parentheses: its name, parser and text."""
    quoted: ClassVar[str] = ""
    """A string attribute printed in quotes after the first operand."""
    trailing: ClassVar[str] = ""
    """An integer attribute printed last inside the parentheses."""
    behind: ClassVar[Behind | None] = None

    def print(self, printer: Printer) -> None:
        attributes = {**self.properties, **self.attributes}
        if self.form is not Form.CONSTANT:
            self._print_call(printer, attributes)
        printer.print_op_attributes(attributes)
        printer.print_string(" : ")
        if self.form is Form.CALL:
            printer.print_function_type(self.operand_types, self.result_types)
        else:
            printer.print_list(self.result_types, printer.print_attribute)

    def _print_call(self, printer: Printer, attributes: dict[str, Attribute]) -> None:
        """The operands with the attributes among them, which are taken out of `attributes`."""
        if (number := attributes.pop(self.in_angles, None)) is not None:
            printer.print_string(f"<{as_python(number)}>")
        inside: list[SSAValue | str] = list(self.operands)
        last = inside.pop() if self.behind and len(inside) == self.behind.count else None
        if self.quoted and (text := attributes.pop(self.quoted, None)) is not None:
            inside.insert(1, str(text))
        if self.leading and (value := attributes.pop(self.leading[0], None)) is not None:
            inside.insert(0, self.leading[2](value))
        if (number := attributes.pop(self.trailing, None)) is not None:
            inside.append(f"{self.trailing} = {as_python(number)}")
        printer.print_string("(")
        printer.print_list(inside, lambda part: _print_part(printer, part))
        printer.print_string(")")
        if self.behind and last is not None:
            printer.print_string(f" {self.behind.word} = ")
            _print_part(printer, last)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        attributes: dict[str, Attribute] = {}
        unresolved = [] if cls.form is Form.CONSTANT else cls._parse_call(parser, attributes)
        is_older = cls.behind is not None and len(unresolved) == cls.behind.count
        if cls.behind and parser.parse_optional_keyword(cls.behind.word):
            parser.parse_punctuation("=")
            unresolved.append(parser.parse_unresolved_operand())
        attributes.update(parser.parse_optional_attr_dict())
        parser.parse_punctuation(":")
        position = parser.pos
        types = None if cls.form is Form.CONSTANT else parser.parse_optional_function_type()
        if types is None and cls.form is not Form.CALL:
            return cls.create(result_types=[parser.parse_type()], attributes=attributes)
        types = types or parser.parse_function_type()
        operands = list(parser.resolve_operands(unresolved, types.inputs.data, position))
        if cls.behind:
            attributes.pop(SEGMENTS, None)
            if is_older:
                operands.append(operands.pop(cls.behind.older_place))
        return cls.create(operands=operands, result_types=types.outputs.data, attributes=attributes)

    @classmethod
    def _parse_call(cls, parser: Parser, attributes: dict[str, Attribute]) -> list[UnresolvedOperand]:
        """The operands in the parentheses; the attributes among them go to `attributes`."""
        if cls.in_angles and parser.parse_optional_punctuation("<"):
            attributes[cls.in_angles] = integer(parser.parse_integer(allow_boolean=False))
            parser.parse_punctuation(">")
        operands: list[UnresolvedOperand] = []
        parser.parse_punctuation("(")
        if cls.leading:
            attributes[cls.leading[0]] = cls.leading[1](parser)
        elif parser.parse_optional_punctuation(")"):
            return operands
        else:
            operands.append(parser.parse_unresolved_operand())
        while parser.parse_optional_punctuation(","):
            if cls.quoted and len(operands) == 1 and (text := parser.parse_optional_str_literal()) is not None:
                attributes[cls.quoted] = StringAttr(text)
            elif cls.trailing and parser.parse_optional_keyword(cls.trailing):
                parser.parse_punctuation("=")
                attributes[cls.trailing] = integer(parser.parse_integer(allow_boolean=False))
                break
            else:
                operands.append(parser.parse_unresolved_operand())
        parser.parse_punctuation(")")
        return operands


def _print_part(printer: Printer, part: SSAValue | str) -> None:
    if isinstance(part, str):
        printer.print_string(part)
    else:
        printer.print_ssa_value(part)
