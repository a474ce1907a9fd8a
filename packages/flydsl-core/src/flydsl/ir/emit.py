"""The fast printer of generic MLIR text.

Everything is in generic form (`"op"(%0) <{properties}> ({regions}) {attributes} : (types) -> types`), with values
numbered over the whole text. Text of types and attributes is remembered: a module has many operations and few of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from xdsl.dialects.builtin import (
    DenseArrayBase,
    FileLineColLoc,
    IntegerAttr,
    IntegerType,
    StringAttr,
    UnitAttr,
    UnregisteredOp,
    VectorType,
    i1,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.mlir_lexer import MLIRLexer

from flydsl.ir.fly.base import text_of

_INDENT = "  "


def emit_generic(op: Operation, *, locations: bool = False) -> str:
    """Generic MLIR text of `op` and all it holds; with `loc("file":line:column)` on each operation when asked for."""
    emitter = _Emitter(locations)
    emitter.operation(op, "")
    emitter.lines.append("")
    return "\n".join(emitter.lines)


class _Emitter:
    """The state of one emission: lines so far, names of values and blocks, texts by identity of the attribute."""

    def __init__(self, locations: bool) -> None:
        self.lines: list[str] = []
        self._locations = locations
        self._values: dict[int, str] = {}
        self._blocks: dict[int, str] = {}
        self._texts: dict[int, str] = {}

    def operation(self, op: Operation, indent: str) -> None:
        """Append the lines of an operation."""
        values, texts, text = self._values, self._texts, self._text
        names, inputs, types = [], [], []
        for result in op.results:
            type_ = result._type  # here and below: xDSL's properties take as long as the rest of the line
            names.append(values.get(id(result)) or self._name(result))
            types.append(texts.get(id(type_)) or text(type_))
        arguments = []
        for value in op._operands:
            type_ = value._type
            arguments.append(values.get(id(value)) or self._name(value))
            inputs.append(texts.get(id(type_)) or text(type_))
        head = f"{indent}{', '.join(names)} = " if names else indent
        name = op.name
        properties: Mapping[str, Attribute] = op.properties
        attributes: Mapping[str, Attribute] = op.attributes
        if name in _IRREGULAR:
            name, properties, attributes = _regular(op)
        line = f'{head}"{name}"({", ".join(arguments)})'
        if op._successors:
            line += f"[{', '.join(map(self._block, op._successors))}]"
        if properties:
            line += f" <{self._dictionary(properties)}>"
        if op.regions:
            line = self._regions(op.regions, line, indent)
        if attributes:
            line += f" {self._dictionary(attributes)}"
        # a function type as the only result needs its own parentheses
        output = types[0] if len(types) == 1 and types[0][0] != "(" else f"({', '.join(types)})"
        line += f" : ({', '.join(inputs)}) -> {output}"
        if self._locations:
            line += self._location(op)
        self.lines.append(line)

    def _regions(self, regions: Sequence[Region], line: str, indent: str) -> str:
        lines = self.lines
        inner = indent + _INDENT
        line += " ({"
        for index, region in enumerate(regions):
            lines.append(line)
            line = f"{indent}}}, {{" if index + 1 < len(regions) else f"{indent}}})"
            for block in region.blocks:
                self._block(block)
            for number, block in enumerate(region.blocks):
                if number or block.args or block.first_use:
                    lines.append(self._label(block, indent))
                op = block._first_op
                while op is not None:
                    self.operation(op, inner)
                    op = op._next_op
        return line

    def _label(self, block: Block, indent: str) -> str:
        arguments = []
        for argument in block.args:
            arguments.append(f"{self._name(argument)}: {self._text(argument.type)}")
        return f"{indent}{self._block(block)}{'(' + ', '.join(arguments) + ')' if arguments else ''}:"

    def _block(self, block: Block) -> str:
        name = self._blocks.get(id(block))
        if name is None:
            name = self._blocks[id(block)] = f"^bb{len(self._blocks)}"
        return name

    def _name(self, value: SSAValue) -> str:
        name = self._values.get(id(value))
        if name is None:
            name = self._values[id(value)] = f"%{len(self._values)}"
        return name

    def _dictionary(self, attributes: Mapping[str, Attribute]) -> str:
        entries = []
        for name, attribute in attributes.items():
            key = _key(name)
            entries.append(key if type(attribute) is UnitAttr else f"{key} = {self._text(attribute)}")
        return f"{{{', '.join(entries)}}}"

    def _text(self, attribute: Attribute) -> str:
        text = self._texts.get(id(attribute))
        if text is None:
            if type(attribute) is IntegerAttr and attribute.type != i1:
                text = f"{attribute.value.data} : {self._text(attribute.type)}"
            elif type(attribute) in _TOLD_BY_VALUE:
                text = _text_of_equal(attribute)
            else:
                text = text_of(attribute)
            self._texts[id(attribute)] = text
        return text

    def _location(self, op: Operation) -> str:
        location = op.location
        if not isinstance(location, FileLineColLoc):
            return " loc(unknown)"
        return " " + self._text(location)


_TOLD_BY_VALUE = frozenset((DenseArrayBase, IntegerType, StringAttr, VectorType))
"""Attributes that modules have many equal ones of, and whose text follows from what they are equal by."""


@lru_cache(maxsize=4096)
def _text_of_equal(attribute: Attribute) -> str:
    return text_of(attribute)


_IRREGULAR = frozenset({"gpu.func", "builtin.unregistered"})
"""Operations whose xDSL form differs from MLIR's generic form."""


def _regular(op: Operation) -> tuple[str, Mapping[str, Attribute], Mapping[str, Attribute]]:
    """Name, properties and attributes of an operation as MLIR 22 has them."""
    if isinstance(op, UnregisteredOp):
        others = {key: value for key, value in op.attributes.items() if key != "op_name__"}
        return op.op_name.data, op.properties, others
    properties, attributes = dict(op.properties), dict(op.attributes)
    if kernel := properties.pop("kernel", None):
        attributes["gpu.kernel"] = kernel
    return op.name, properties, attributes


@cache
def _key(name: str) -> str:
    return name if MLIRLexer.bare_identifier_regex.fullmatch(name) else f'"{name}"'
