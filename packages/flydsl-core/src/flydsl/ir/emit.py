"""An operation in, generic MLIR text out: the one fast printer for text that goes to MLIR.

Everything is printed in generic form (`"op"(%0) <{properties}> ({regions}) {attributes} : (types) -> types`), with values
numbered over the whole text. Text of types and attributes is remembered: a module has many operations and few of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import FileLineColLoc, FunctionType, UnitAttr, UnregisteredOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.mlir_lexer import MLIRLexer

from flydsl.ir.fly.base import text_of

__all__ = ["emit_generic"]

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
        self._values: dict[SSAValue, str] = {}
        self._blocks: dict[Block, str] = {}
        self._texts: dict[int, str] = {}
        self._keep: list[Attribute] = []

    def operation(self, op: Operation, indent: str) -> None:
        """Append the lines of an operation."""
        values = self._values
        results = op.results
        head = indent
        if results:
            names = []
            for result in results:
                name = values.get(result)
                if name is None:
                    name = values[result] = f"%{len(values)}"
                names.append(name)
            head = f"{indent}{', '.join(names)} = "
        operands = op._operands
        text = self._text
        arguments = ", ".join([values.get(value) or self._forward(value) for value in operands])
        attributes: Mapping[str, Attribute] = op.attributes
        name = op.name
        if isinstance(op, UnregisteredOp):
            name = op.op_name.data
            attributes = {key: value for key, value in attributes.items() if key != "op_name__"}
        line = f'{head}"{name}"({arguments})'
        if op._successors:
            line += f"[{', '.join(map(self._block, op._successors))}]"
        properties = op.properties
        if name in _DISCARDABLE and properties:
            properties, attributes = _split(_DISCARDABLE[name], properties, attributes)
        if properties:
            line += f" <{self._dictionary(properties)}>"
        if op.regions:
            line = self._regions(op.regions, line, indent)
        if attributes:
            line += f" {self._dictionary(attributes)}"
        inputs = ", ".join([text(value.type) for value in operands])
        line += f" : ({inputs}) -> {self._results(results)}"
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
                op = block.first_op
                while op is not None:
                    self.operation(op, inner)
                    op = op.next_op
        return line

    def _label(self, block: Block, indent: str) -> str:
        arguments = []
        for argument in block.args:
            name = self._values.get(argument)
            if name is None:
                name = self._values[argument] = f"%{len(self._values)}"
            arguments.append(f"{name}: {self._text(argument.type)}")
        return f"{indent}{self._blocks[block]}{'(' + ', '.join(arguments) + ')' if arguments else ''}:"

    def _block(self, block: Block) -> str:
        name = self._blocks.get(block)
        if name is None:
            name = self._blocks[block] = f"^bb{len(self._blocks)}"
        return name

    def _forward(self, value: SSAValue) -> str:
        name = self._values[value] = f"%{len(self._values)}"
        return name

    def _results(self, results: Sequence[SSAValue]) -> str:
        if len(results) == 1 and not isinstance(results[0].type, FunctionType):
            return self._text(results[0].type)
        return f"({', '.join([self._text(result.type) for result in results])})"

    def _dictionary(self, attributes: Mapping[str, Attribute]) -> str:
        entries = []
        for name, attribute in attributes.items():
            key = name if MLIRLexer.bare_identifier_regex.fullmatch(name) else f'"{name}"'
            entries.append(key if type(attribute) is UnitAttr else f"{key} = {self._text(attribute)}")
        return f"{{{', '.join(entries)}}}"

    def _text(self, attribute: Attribute) -> str:
        text = self._texts.get(id(attribute))
        if text is None:
            text = self._texts[id(attribute)] = text_of(attribute)
            self._keep.append(attribute)
        return text

    def _location(self, op: Operation) -> str:
        location = op.location
        if not isinstance(location, FileLineColLoc):
            return " loc(unknown)"
        return " " + self._text(location)


_DISCARDABLE: Mapping[str, Mapping[str, str]] = {"gpu.func": {"kernel": "gpu.kernel"}}
"""Properties of xDSL's operations that are discardable attributes, by another name, in MLIR 22."""


def _split(
    renamed: Mapping[str, str], properties: Mapping[str, Attribute], attributes: Mapping[str, Attribute]
) -> tuple[dict[str, Attribute], dict[str, Attribute]]:
    moved = {renamed[name]: value for name, value in properties.items() if name in renamed}
    return {name: value for name, value in properties.items() if name not in renamed}, {**attributes, **moved}
