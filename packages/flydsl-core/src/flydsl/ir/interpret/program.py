"""Functions of mixed IR compiled to Python functions that one thread executes.

Regions become Python statements: values are local variables, loops are loops, and an operation is a call of what its
handler made. Where threads wait for each other the function is a generator that yields what it waits for. Every line
knows the operation that it stands for, so that an error finds the user's line by the traceback.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from types import TracebackType
from typing import Any, NamedTuple

from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import Block, Operation, SSAValue

from flydsl.base.errors import FlyDSLError, IRError, KernelError
from flydsl.ir.fly.element import element_bits
from flydsl.ir.fly.types import IntTupleType
from flydsl.ir.interpret.atomic_operations import is_atomic
from flydsl.ir.interpret.handler import Handler
from flydsl.ir.interpret.known import maker
from flydsl.ir.interpret.poison import defined
from flydsl.ir.location import get_location
from flydsl.layout import Dyn
from flydsl.layout.int_tuple import flat

_TERMINATORS = frozenset({"scf.yield", "scf.condition", "func.return", "gpu.return"})
_TUPLES = frozenset({"fly.make_int_tuple", "fly.make_shape", "fly.make_stride", "fly.make_coord"})
_NUMBERS = count()


class Wait(NamedTuple):
    """What a thread waits for: a `gpu.barrier`, a `gpu.shuffle` with its operands, or (an atomic) for a turn."""

    op: Operation
    operands: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Program:
    """A translated function: `call(thread, *arguments)` returns its results, or a generator when `waits`."""

    name: str
    call: Callable[..., Any]
    waits: bool
    file: str
    operations: Sequence[Operation | None]
    text: str

    def operation_at(self, traceback: TracebackType | None) -> Operation | None:
        """The operation that was executed when an exception was raised."""
        found = None
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename == self.file:
                found = self.operations[traceback.tb_lineno - 1]
            traceback = traceback.tb_next
        return found


def translate(function: Operation, handlers: Mapping[str, Handler]) -> Program:
    """Translate a `func.func` or `gpu.func` of one block; IRError, with the user's line, for an unknown operation."""
    block = function.regions[0].blocks[0]
    symbol = function.get_attr_or_prop("sym_name")
    name = getattr(symbol, "data", "function")
    writer = _Writer(handlers)
    parameters = ", ".join(["t", *(writer.define(argument) for argument in block.args)])
    writer.line(f"def run({parameters}):", function)
    with writer.indented():
        results = writer.block(block)
        writer.line(f"return ({''.join(result + ', ' for result in results)})", function)
    text = "\n".join(writer.lines)
    file = f"<interpreted {name} {next(_NUMBERS)}>"
    exec(compile(text, file, "exec"), writer.names)
    return Program(name, writer.names["run"], writer.waits, file, writer.operations, text)


class _Writer:
    """The text under construction."""

    def __init__(self, handlers: Mapping[str, Handler]) -> None:
        self.handlers = handlers
        self.lines: list[str] = []
        self.operations: list[Operation | None] = []
        self.names: dict[str, Any] = {"Wait": Wait, "bounds": _bounds}
        self.waits = False
        self._variables: dict[SSAValue, str] = {}
        self._depth = 0
        self._loops = 0

    def line(self, text: str, op: Operation | None = None) -> None:
        self.lines.append("    " * self._depth + text)
        self.operations.append(op)

    @contextmanager
    def indented(self) -> Iterator[None]:
        self._depth += 1
        yield
        self._depth -= 1

    def define(self, value: SSAValue) -> str:
        """A variable for a value."""
        name = self._variables[value] = f"v{len(self._variables)}"
        return name

    def constant(self, value: Any) -> str:
        """A global name for an object."""
        name = f"k{len(self.names)}"
        self.names[name] = value
        return name

    def read(self, values: Sequence[SSAValue]) -> list[str]:
        return [self._variables[value] for value in values]

    def assign(self, values: Sequence[SSAValue], sources: Sequence[str], op: Operation) -> None:
        """Let new variables have the values of others."""
        targets = [self.define(value) for value in values]
        self.copy(targets, sources, op)

    def copy(self, targets: Sequence[str], sources: Sequence[str], op: Operation) -> None:
        if targets:
            self.line(f"{', '.join(targets)} = {', '.join(sources)}", op)

    def block(self, block: Block) -> list[str]:
        """The operations of a block; the operands of its terminator."""
        for op in block.ops:
            if op.name in _TERMINATORS:
                return self.read(op.operands)
            self.operation(op)
        return []

    def operation(self, op: Operation) -> None:
        control = _CONTROL.get(op.name)
        if control is not None:
            control(self, op)
            return
        operands = self.read(op.operands)
        inline = _INLINE.get(op.name)
        expression = inline(op, operands) if inline is not None else self._tuple(op, operands)
        if expression is None:
            if self._loops and is_atomic(op):
                self.wait(f"Wait({self.constant(op)})", op)
            expression = f"{self.constant(self._action(op))}({', '.join(['t', *operands])})"
        results = [self.define(result) for result in op.results]
        self.line(f"{', '.join(results)} = {expression}" if results else expression, op)

    def _tuple(self, op: Operation, operands: list[str]) -> str | None:
        """The text of a coordinate: its dynamic leaves are made from the operands."""
        type_ = op.results[0].type if op.name in _TUPLES else None
        if not isinstance(type_, IntTupleType) or any(not isinstance(leaf, int | Dyn) for leaf in flat(type_.value)):
            return None
        leaves = iter(operands)

        def text(value: Any) -> str:
            if isinstance(value, tuple):
                return f"({''.join(f'{text(part)}, ' for part in value)})"
            return f"{self.constant(maker(value))}({next(leaves)})" if isinstance(value, Dyn) else str(value)

        return text(type_.value)

    def wait(self, text: str, op: Operation) -> None:
        self.waits = True
        self.line(f"yield {text}", op)

    @contextmanager
    def looping(self) -> Iterator[None]:
        """Inside a loop that may wait for another thread."""
        self._loops += 1
        with self.indented():
            yield
        self._loops -= 1

    def _action(self, op: Operation) -> Any:
        handler = self.handlers.get(op.name)
        try:
            if handler is None:
                raise IRError(
                    f"{op.name} is not known to the interpreter; a target's own word runs on that target only"
                )
            return handler(op)
        except FlyDSLError as error:
            error.location = error.location or get_location(op)
            raise


def _if(writer: _Writer, op: Operation) -> None:
    results = [writer.define(result) for result in op.results]
    writer.line(f"if {writer.read(op.operands)[0]}:", op)
    for index, region in enumerate(op.regions):
        if index and not region.blocks:
            break
        if index:
            writer.line("else:", op)
        with writer.indented():
            writer.line("pass", op)
            writer.copy(results, writer.block(region.block), op)


def _for(writer: _Writer, op: Operation) -> None:
    lower, upper, step, *inits = writer.read(op.operands)
    body = op.regions[0].block
    index, *carried = [writer.define(argument) for argument in body.args]
    writer.copy(carried, inits, op)
    writer.line(f"for {index} in bounds({lower}, {upper}, {step}):", op)
    with writer.indented():
        writer.line("pass", op)
        writer.copy(carried, writer.block(body), op)
    writer.assign(op.results, carried, op)


def _while(writer: _Writer, op: Operation) -> None:
    before, after = (region.block for region in op.regions)
    given = [writer.define(argument) for argument in before.args]
    writer.copy(given, writer.read(op.operands), op)
    writer.line("while True:", op)
    with writer.looping():
        condition, *passed = writer.block(before)
        results = [writer.define(result) for result in op.results]
        writer.copy(results, passed, op)
        writer.line(f"if not {condition}: break", op)
        writer.assign(after.args, passed, op)
        writer.copy(given, writer.block(after), op)


def _barrier(writer: _Writer, op: Operation) -> None:
    writer.wait(f"Wait({writer.constant(op)})", op)


def _shuffle(writer: _Writer, op: Operation) -> None:
    results = [writer.define(result) for result in op.results]
    writer.waits = True
    operands = ", ".join(writer.read(op.operands))
    writer.line(f"{', '.join(results)} = yield Wait({writer.constant(op)}, ({operands}))", op)


_CONTROL: Mapping[str, Callable[[_Writer, Operation], None]] = {
    "scf.if": _if,
    "scf.for": _for,
    "scf.while": _while,
    "gpu.barrier": _barrier,
    "gpu.shuffle": _shuffle,
}


def _bounds(lower: Any, upper: Any, step: Any) -> range:
    start, end, stride = (defined(bound, "the number of iterations is decided") for bound in (lower, upper, step))
    if stride > 0:
        return range(start, end, stride)
    if start < end:
        raise KernelError(f"a loop from {start} to {end} has the step {stride}, and steps are positive")
    return range(0)  # no turn, as where it is compiled


def _wrapped(sign: str) -> Callable[[Operation, list[str]], str | None]:
    def text(op: Operation, operands: list[str]) -> str | None:
        type_ = op.results[0].type
        if not isinstance(type_, IntegerType | IndexType) or element_bits(type_) == 1:
            return None
        half = 1 << (element_bits(type_) - 1)
        return f"({operands[0]} {sign} {operands[1]} + {half} & {2 * half - 1}) - {half}"

    return text


def _compared(op: Operation, operands: list[str]) -> str | None:
    predicate = op.properties["predicate"]
    if not isinstance(op.results[0].type, IntegerType) or not isinstance(predicate, IntegerAttr):
        return None
    number = predicate.value.data
    return f"({operands[0]} {('==', '!=', '<', '<=', '>', '>=')[number]} {operands[1]}) * 1" if number < 6 else None


def _cast(op: Operation, operands: list[str]) -> str | None:
    source, target = op.operands[0].type, op.results[0].type
    if not all(isinstance(type_, IntegerType | IndexType) for type_ in (source, target)) or element_bits(source) == 1:
        return None
    if element_bits(source) <= element_bits(target):
        return operands[0]
    half = 1 << (element_bits(target) - 1)
    return f"({operands[0]} + {half} & {2 * half - 1}) - {half}"


_INLINE: Mapping[str, Callable[[Operation, list[str]], str | None]] = {
    "arith.addi": _wrapped("+"),
    "arith.subi": _wrapped("-"),
    "arith.muli": _wrapped("*"),
    "arith.cmpi": _compared,
    "arith.index_cast": _cast,
    "arith.extsi": _cast,
}
"""What is short enough to stand in the text; None where the handler has to do it."""
