"""A function of mixed IR and arguments in, its effect on memory and its results out: what passes must not change.

Integers are Python ints (signed; i1 is 0 or 1), floats are rounded to their type, vectors and structs are lists,
pointers are `Address` objects into byte memories. Undefined values are `POISON` and spread. Fly operations are in
`interpret_fly`.
"""

from __future__ import annotations

import ctypes
import math
import operator
import struct
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    VectorType,
    bf16,
    f16,
    f32,
    f64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from flydsl.base.errors import IRError
from flydsl.ir.fly.attributes import as_python
from flydsl.ir.fly.element import element_bits, element_bytes
from flydsl.layout import Swizzle

__all__ = ["POISON", "Address", "Interpreter", "Memory", "round_to", "run"]

Results = list[Any]
Handler = Callable[["Interpreter", Operation, list[Any]], Results]


class _Poison:
    """An undefined value."""

    def __repr__(self) -> str:
        return "poison"


POISON = _Poison()


@dataclass(eq=False)
class Memory:
    """Bytes that addresses point into; a memory begins at address 0 of its own, so that swizzles of addresses show."""

    data: bytearray
    undefined: set[int] = field(default_factory=set)  # bytes never written, of fresh allocations


@dataclass(frozen=True, eq=False)
class Address:
    """A place in a memory, in bytes, and the type of what is there."""

    memory: Memory
    byte: int
    element: Attribute
    swizzle: Swizzle | None = None

    def moved(self, count: int) -> Address:
        """The address `count` elements further."""
        return replace(self, byte=self.byte + count * element_bytes(self.element))

    def load(self, type_: Attribute) -> Any:
        """The scalar or vector at the address."""
        if isinstance(type_, VectorType):
            size = element_bytes(type_.element_type)
            return [self._load(self.byte + size * i, type_.element_type) for i in range(type_.element_count())]
        return self._load(self.byte, type_)

    def store(self, value: Any, type_: Attribute) -> None:
        """Write a scalar or vector."""
        if isinstance(type_, VectorType):
            size = element_bytes(type_.element_type)
            for index, part in enumerate(value):
                self._store(self.byte + size * index, part, type_.element_type)
        else:
            self._store(self.byte, value, type_)

    def _place(self, byte: int, size: int) -> int:
        place = self.swizzle(byte) if self.swizzle is not None else byte
        assert isinstance(place, int)
        if not 0 <= place <= len(self.memory.data) - size:
            raise IRError(f"access of {size} bytes at {place} in a memory of {len(self.memory.data)}")
        return place

    def _load(self, byte: int, type_: Attribute) -> Any:
        size = element_bytes(type_)
        place = self._place(byte, size)
        if self.memory.undefined and any(i in self.memory.undefined for i in range(place, place + size)):
            return POISON
        return _decode(bytes(self.memory.data[place : place + size]), type_)

    def _store(self, byte: int, value: Any, type_: Attribute) -> None:
        size = element_bytes(type_)
        place = self._place(byte, size)
        span = range(place, place + size)
        if value is POISON:
            self.memory.undefined.update(span)
            return
        self.memory.undefined.difference_update(span)
        self.memory.data[place : place + size] = _encode(value, type_)


class Interpreter:
    """Executes one function for one thread."""

    def __init__(self, ids: Mapping[str, tuple[int, int, int]] | None = None) -> None:
        from flydsl.ir.interpret_fly import HANDLERS

        self.ids = ids or {}
        self.values: dict[SSAValue, Any] = {}
        self.handlers: Mapping[str, Handler] = {**_HANDLERS, **HANDLERS}

    def call(self, function: Operation, arguments: Sequence[Any]) -> Generator[None, None, list[Any]]:
        """Run a function; yields at each barrier."""
        return (yield from self._block(function.regions[0].blocks[0], arguments))

    def _block(self, block: Block, arguments: Sequence[Any]) -> Generator[None, None, list[Any]]:
        self.values.update(zip(block.args, arguments, strict=True))
        for op in block.ops:
            operands = [self.values[operand] for operand in op.operands]
            if op.name in _TERMINATORS:
                return operands
            self.values.update(zip(op.results, (yield from self._op(op, operands)), strict=True))
        return []

    def _op(self, op: Operation, operands: list[Any]) -> Generator[None, None, Results]:
        if op.name == "gpu.barrier":
            yield
            return []
        if op.name == "scf.if":
            region = op.regions[0 if operands[0] else 1]
            return (yield from self._block(region.block, [])) if region.blocks else []
        if op.name == "scf.for":
            lower, upper, step, *carried = operands
            for index in range(lower, upper, step):
                carried = yield from self._block(op.regions[0].block, [index, *carried])
            return carried
        if op.name == "scf.while":
            while True:
                going, *passed = yield from self._block(op.regions[0].block, operands)
                if not going:
                    return passed
                operands = yield from self._block(op.regions[1].block, passed)
        handler = self.handlers.get(op.name)
        if handler is None:
            raise IRError(f"{op.name} cannot be interpreted")
        return handler(self, op, operands)


def run(
    function: Operation, arguments: Sequence[Any], ids: Mapping[str, tuple[int, int, int]] | None = None
) -> list[Any]:
    """Run a function for one thread, whose `ids` are looked up by operation (`gpu.thread_id`); returns its results."""
    steps = Interpreter(ids).call(function, arguments)
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return list(stop.value)


def round_to(value: Any, type_: Attribute) -> Any:
    """A number as a value of a scalar type."""
    if isinstance(value, _Poison):
        return value
    if isinstance(type_, IntegerType | IndexType):
        width = type_.width.data if isinstance(type_, IntegerType) else 64
        value &= (1 << width) - 1
        return value - (1 << width) if width > 1 and value >> (width - 1) else value
    if type_ == f64:
        return float(value)
    return _decode(_encode(value, type_), type_)


def _encode(value: Any, type_: Attribute) -> bytes:
    size = element_bytes(type_)
    if type_ == f32:
        return struct.pack("<f", ctypes.c_float(value).value)
    if type_ == f64:
        return struct.pack("<d", value)
    if type_ == f16:
        try:
            return struct.pack("<e", value)
        except OverflowError:
            return struct.pack("<e", math.copysign(math.inf, value))
    if type_ == bf16:
        bits = int.from_bytes(struct.pack("<f", ctypes.c_float(value).value), "little")
        rounded = bits if math.isnan(value) else bits + 0x7FFF + (bits >> 16 & 1)
        return (rounded >> 16 & 0xFFFF).to_bytes(2, "little")
    return (int(value) & ((1 << 8 * size) - 1)).to_bytes(size, "little")


def _decode(data: bytes, type_: Attribute) -> Any:
    if type_ in (f16, f32, f64):
        return struct.unpack({2: "<e", 4: "<f", 8: "<d"}[len(data)], data)[0]
    if type_ == bf16:
        return struct.unpack("<f", b"\0\0" + data)[0]
    if isinstance(type_, IntegerType | IndexType):
        return round_to(int.from_bytes(data, "little"), type_)
    return int.from_bytes(data, "little")  # narrow floats stay bits


def _scalar_type(type_: Attribute) -> Attribute:
    return type_.element_type if isinstance(type_, VectorType) else type_


def _each(function: Callable[..., Any]) -> Handler:
    """A handler of an element-wise operation; `function` gets scalars and the scalar result type."""

    def apply(interpreter: Interpreter, op: Operation, operands: list[Any]) -> Results:
        type_ = _scalar_type(op.results[0].type)

        def one(*scalars: Any) -> Any:
            return POISON if POISON in scalars else round_to(function(*scalars), type_)

        if isinstance(op.results[0].type, VectorType):
            return [[one(*scalars) for scalars in zip(*operands, strict=True)]]
        return [one(*operands)]

    return apply


def _divide(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _constant(interpreter: Interpreter, op: Operation, operands: list[Any]) -> Results:
    value = op.properties["value"]
    if isinstance(value, IntegerAttr | FloatAttr):
        return [round_to(value.value.data, value.type)]
    if isinstance(value, DenseIntOrFPElementsAttr):
        return [list(value.get_values())]
    raise IRError(f"the constant {value} cannot be interpreted")


def _compare(interpreter: Interpreter, op: Operation, operands: list[Any]) -> Results:
    predicate = op.properties["predicate"]
    assert isinstance(predicate, IntegerAttr)
    bits = (1 << element_bits(_scalar_type(op.operands[0].type))) - 1
    number = predicate.value.data

    def one(a: Any, b: Any) -> Any:
        if a is POISON or b is POISON:
            return POISON
        if number >= 6:
            a, b = a & bits, b & bits
        return int(_COMPARISONS[number if number < 6 else number - 4](a, b))

    return [[one(a, b) for a, b in zip(*operands, strict=True)] if isinstance(operands[0], list) else one(*operands)]


_COMPARISONS = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)


def _extend(interpreter: Interpreter, op: Operation, operands: list[Any]) -> Results:
    width = element_bits(_scalar_type(op.operands[0].type))
    signed = op.name != "arith.extui"

    def one(value: Any) -> Any:
        return -value if signed and width == 1 else value & ((1 << width) - 1) if not signed else value

    return _each(one)(interpreter, op, operands)


def _bitcast(interpreter: Interpreter, op: Operation, operands: list[Any]) -> Results:
    source, target = op.operands[0].type, op.results[0].type
    values = operands[0] if isinstance(operands[0], list) else [operands[0]]
    if any(value is POISON for value in values):
        return [[POISON] * target.element_count() if isinstance(target, VectorType) else POISON]
    data = b"".join(_encode(value, _scalar_type(source)) for value in values)
    size = element_bytes(_scalar_type(target))
    found = [_decode(data[i : i + size], _scalar_type(target)) for i in range(0, len(data), size)]
    return [found if isinstance(target, VectorType) else found[0]]


def _poison(interpreter: Interpreter, op: Operation, operands: list[Any]) -> Results:
    type_ = op.results[0].type
    return [[POISON] * type_.element_count() if isinstance(type_, VectorType) else POISON]


def _identifier(interpreter: Interpreter, op: Operation, operands: list[Any]) -> Results:
    return [interpreter.ids[op.name]["xyz".index(op.properties["dimension"].data.value)]]  # type: ignore[attr-defined]


def _numbers(op: Operation, name: str) -> tuple[int, ...]:
    found = as_python(op.properties[name])
    assert isinstance(found, tuple)
    return found


def _vector_extract(interpreter: Interpreter, op: Operation, operands: list[Any]) -> Results:
    (position,) = _numbers(op, "static_position")
    return [operands[0][position]]


def _vector_insert(interpreter: Interpreter, op: Operation, operands: list[Any]) -> Results:
    (position,) = _numbers(op, "static_position")
    value, target = operands
    return [[*target[:position], value, *target[position + 1 :]]]


def _extract_slice(interpreter: Interpreter, op: Operation, operands: list[Any]) -> Results:
    (offset,), (size,) = _numbers(op, "offsets"), _numbers(op, "sizes")
    return [operands[0][offset : offset + size]]


def _insert_slice(interpreter: Interpreter, op: Operation, operands: list[Any]) -> Results:
    (offset,) = _numbers(op, "offsets")
    value, target = operands
    return [[*target[:offset], *value, *target[offset + len(value) :]]]


def _shuffle(interpreter: Interpreter, op: Operation, operands: list[Any]) -> Results:
    both = [*operands[0], *operands[1]]
    return [[both[index] for index in _numbers(op, "mask")]]


def _extract_value(interpreter: Interpreter, op: Operation, operands: list[Any]) -> Results:
    value = operands[0]
    for index in _numbers(op, "position"):
        value = value[index]
    return [value]


def _insert_value(interpreter: Interpreter, op: Operation, operands: list[Any]) -> Results:
    def inserted(target: Any, path: Sequence[int]) -> Any:
        if not path:
            return operands[1]
        parts = list(target or ())
        parts += [None] * (path[0] + 1 - len(parts))
        parts[path[0]] = inserted(parts[path[0]], path[1:])
        return parts

    return [inserted(operands[0], _numbers(op, "position"))]


def _unsigned_shift(interpreter: Interpreter, op: Operation, operands: list[Any]) -> Results:
    bits = (1 << element_bits(_scalar_type(op.results[0].type))) - 1
    return _each(lambda a, b: (a & bits) >> b)(interpreter, op, operands)


_TERMINATORS = frozenset({"scf.yield", "scf.condition", "func.return", "gpu.return"})
_HANDLERS: Mapping[str, Handler] = {
    "arith.constant": _constant,
    **{f"arith.{name}": _each(operator.add) for name in ("addi", "addf")},
    **{f"arith.{name}": _each(operator.sub) for name in ("subi", "subf")},
    **{f"arith.{name}": _each(operator.mul) for name in ("muli", "mulf")},
    "arith.divsi": _each(_divide),
    "arith.remsi": _each(lambda a, b: a - b * _divide(a, b)),
    "arith.floordivsi": _each(operator.floordiv),
    "arith.ceildivsi": _each(lambda a, b: -(-a // b)),
    "arith.divf": _each(operator.truediv),
    **{f"arith.{name}": _each(min) for name in ("minsi", "minimumf", "minnumf")},
    **{f"arith.{name}": _each(max) for name in ("maxsi", "maximumf", "maxnumf")},
    "arith.andi": _each(operator.and_),
    "arith.ori": _each(operator.or_),
    "arith.xori": _each(operator.xor),
    "arith.shli": _each(operator.lshift),
    "arith.shrsi": _each(operator.rshift),
    "arith.shrui": _unsigned_shift,
    "arith.negf": _each(operator.neg),
    "arith.select": lambda i, op, v: [v[1] if v[0] else v[2]],
    "arith.cmpi": _compare,
    **dict.fromkeys(("arith.extsi", "arith.extui", "arith.index_cast"), _extend),
    **dict.fromkeys(("arith.trunci", "arith.extf", "arith.truncf", "arith.sitofp"), _each(lambda value: value)),
    "arith.bitcast": _bitcast,
    "vector.bitcast": _bitcast,
    "math.fma": _each(lambda a, b, c: a * b + c),
    "ub.poison": _poison,
    "vector.extract": _vector_extract,
    "vector.insert": _vector_insert,
    "vector.extract_strided_slice": _extract_slice,
    "vector.insert_strided_slice": _insert_slice,
    "vector.shuffle": _shuffle,
    "vector.from_elements": lambda i, op, v: [list(v)],
    "vector.shape_cast": lambda i, op, v: [v[0]],
    "llvm.mlir.undef": lambda i, op, v: [None],
    "llvm.extractvalue": _extract_value,
    "llvm.insertvalue": _insert_value,
    **dict.fromkeys(("gpu.thread_id", "gpu.block_id", "gpu.block_dim", "gpu.grid_dim"), _identifier),
}
