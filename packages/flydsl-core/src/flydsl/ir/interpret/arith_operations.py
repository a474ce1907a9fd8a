"""Operations of `arith`: integers wrap, floats are rounded to their type, every division has a result."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, VectorType
from xdsl.ir import Operation

from flydsl.base.arithmetic import (
    maximum,
    maximum_number,
    minimum,
    minimum_number,
    quotient,
    remainder,
    truncated_quotient,
    truncated_remainder,
)
from flydsl.base.errors import IRError
from flydsl.ir.fly.element import element_bits
from flydsl.ir.interpret.handler import Action, Handler, each, scalar_type
from flydsl.ir.interpret.numbers import codec, rounder
from flydsl.ir.interpret.poison import POISON, Poison

Function = Callable[..., Any]


def _rounded(function: Function) -> Handler:
    """A function of exact numbers, the result of which is rounded to the result's type."""

    def make(op: Operation) -> Function:
        round_ = rounder(scalar_type(op.results[0].type))
        if function is operator.pos:
            return round_
        return lambda *scalars: round_(function(*scalars))

    return each(make)


def _unsigned(function: Function) -> Handler:
    """A function of unsigned integers."""

    def make(op: Operation) -> Function:
        bits = element_bits(scalar_type(op.operands[0].type))
        mask, wrap = (1 << bits) - 1, rounder(scalar_type(op.results[0].type))
        return lambda *scalars: wrap(function(*[scalar & mask for scalar in scalars]))

    return each(make)


def _or_ones(function: Function) -> Function:
    """Division by zero gives all ones."""
    return lambda a, b: function(a, b) if b else -1


def _or_dividend(function: Function) -> Function:
    """The remainder by zero is the dividend."""
    return lambda a, b: function(a, b) if b else a


def _shift(name: str) -> Handler:
    def make(op: Operation) -> Function:
        bits = element_bits(scalar_type(op.results[0].type))
        wrap, mask = rounder(scalar_type(op.results[0].type)), (1 << bits) - 1

        def shift(a: int, b: int) -> Any:
            if not 0 <= b < bits:
                return Poison(f"a number of {bits} bits was shifted by {b}")
            return wrap(a << b if name == "shli" else a >> b if name == "shrsi" else (a & mask) >> b)

        return shift

    return each(make)


def _constant(op: Operation) -> Action:
    value, type_ = op.properties["value"], op.results[0].type
    round_ = rounder(scalar_type(type_))
    if isinstance(value, IntegerAttr | FloatAttr):
        number = round_(value.value.data)
        return lambda thread: number
    if not isinstance(value, DenseIntOrFPElementsAttr) or not isinstance(type_, VectorType):
        raise IRError(f"the constant {value} cannot be interpreted")
    numbers = [round_(number) for number in value.get_values()]
    lanes = numbers * type_.element_count() if len(numbers) == 1 else numbers
    return lambda thread: lanes


def _number(op: Operation) -> int:
    predicate = op.properties["predicate"]
    assert isinstance(predicate, IntegerAttr)
    return int(predicate.value.data)


_COMPARISONS = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)


def _compare(op: Operation) -> Function:
    number = _number(op)
    mask = (1 << element_bits(scalar_type(op.operands[0].type))) - 1
    if number < 6:
        function = _COMPARISONS[number]
        return lambda a, b: function(a, b) * 1
    function = _COMPARISONS[number - 4]
    return lambda a, b: function(a & mask, b & mask) * 1


def _compare_floats(op: Operation) -> Function:
    number = _number(op)
    true_of_nan = number > 7
    relations = {14: 0, 15: 7}.get(number, number - 7 if true_of_nan else number)  # 1: equal, 2: greater, 4: less

    def compare(a: float, b: float) -> int:
        if a != a or b != b:
            return int(true_of_nan)
        return int(bool(relations & (1 if a == b else 2 if a > b else 4)))

    return compare


def _extend(op: Operation) -> Function:
    """A single bit is -1 where it counts as signed."""
    width = element_bits(scalar_type(op.operands[0].type))
    wrap, mask = rounder(scalar_type(op.results[0].type)), (1 << width) - 1
    if op.name in ("arith.extui", "arith.index_castui"):
        return lambda value: wrap(value & mask)
    return lambda value: wrap(-value if width == 1 else value)


def _from_integer(op: Operation) -> Function:
    width = element_bits(scalar_type(op.operands[0].type))
    round_, mask, unsigned = rounder(scalar_type(op.results[0].type)), (1 << width) - 1, op.name == "arith.uitofp"
    return lambda value: round_(value & mask if unsigned else -value if width == 1 else value)


def _to_integer(op: Operation) -> Function:
    width, unsigned = element_bits(scalar_type(op.results[0].type)), op.name == "arith.fptoui"
    wrap = rounder(scalar_type(op.results[0].type))
    low, high = (0, 1 << width) if unsigned else (-1 << (width - 1), 1 << (width - 1))

    def convert(value: float) -> Any:
        if not math.isfinite(value) or not low <= math.trunc(value) < high:
            return Poison(f"{value!r} was converted to an integer of {width} bits, which cannot hold it")
        return wrap(math.trunc(value))

    return convert


def _bitcast(op: Operation) -> Action:
    """The same bits as values of another type."""
    source, target = op.operands[0].type, op.results[0].type
    have, want = scalar_type(source), scalar_type(target)
    if have != want and (element_bits(have) % 8 or element_bits(want) % 8):
        raise IRError(f"{op.name} from {source} to {target} cannot be interpreted: elements are parts of bytes")
    write, read, sizes = codec(have).write, codec(want).read, (codec(have).size, codec(want).size)

    def cast(thread: Any, value: Any) -> Any:
        lanes = value if isinstance(value, list) else [value]
        data, undefined = bytearray(len(lanes) * sizes[0]), {}
        for index, lane in enumerate(lanes):
            if isinstance(lane, Poison):
                undefined[index] = lane
            else:
                write(data, index * sizes[0], lane)
        elements = []
        for offset in range(0, len(data), sizes[1]):
            parts = range(offset // sizes[0], -(-(offset + sizes[1]) // sizes[0]))
            bad = next((undefined[part] for part in parts if part in undefined), None)
            elements.append(read(data, offset) if bad is None else bad)
        return elements if isinstance(target, VectorType) else elements[0]

    return cast


def _select(op: Operation) -> Action:
    def one(condition: Any, a: Any, b: Any) -> Any:
        return condition if isinstance(condition, Poison) else a if condition else b

    if isinstance(op.operands[0].type, VectorType):
        return lambda thread, *vectors: [one(*lanes) for lanes in zip(*vectors, strict=True)]
    if isinstance(op.results[0].type, VectorType):
        return lambda thread, c, a, b: [c] * len(a) if isinstance(c, Poison) else a if c else b
    return lambda thread, c, a, b: one(c, a, b)


def _poison(op: Operation) -> Action:
    type_ = op.results[0].type
    value = [POISON] * type_.element_count() if isinstance(type_, VectorType) else POISON
    return lambda thread: value


HANDLERS: Mapping[str, Handler] = {
    "arith.constant": _constant,
    "arith.addi": _rounded(operator.add),
    "arith.subi": _rounded(operator.sub),
    "arith.muli": _rounded(operator.mul),
    "arith.addf": _rounded(operator.add),
    "arith.subf": _rounded(operator.sub),
    "arith.mulf": _rounded(operator.mul),
    "arith.divf": _rounded(quotient),
    "arith.remf": _rounded(remainder),
    "arith.negf": _rounded(operator.neg),
    "arith.divsi": _rounded(_or_ones(truncated_quotient)),
    "arith.floordivsi": _rounded(_or_ones(operator.floordiv)),
    "arith.ceildivsi": _rounded(_or_ones(lambda a, b: -(-a // b))),
    "arith.remsi": _rounded(_or_dividend(truncated_remainder)),
    "arith.divui": _unsigned(_or_ones(operator.floordiv)),
    "arith.ceildivui": _unsigned(_or_ones(lambda a, b: -(-a // b))),
    "arith.remui": _unsigned(_or_dividend(operator.mod)),
    "arith.minsi": _rounded(min),
    "arith.maxsi": _rounded(max),
    "arith.minui": _unsigned(min),
    "arith.maxui": _unsigned(max),
    "arith.maximumf": _rounded(maximum),
    "arith.minimumf": _rounded(minimum),
    "arith.maxnumf": _rounded(maximum_number),
    "arith.minnumf": _rounded(minimum_number),
    "arith.andi": _rounded(operator.and_),
    "arith.ori": _rounded(operator.or_),
    "arith.xori": _rounded(operator.xor),
    **{f"arith.{name}": _shift(name) for name in ("shli", "shrsi", "shrui")},
    "arith.select": _select,
    "arith.cmpi": each(_compare),
    "arith.cmpf": each(_compare_floats),
    **{f"arith.{name}": each(_extend) for name in ("extsi", "extui", "index_cast", "index_castui")},
    **{f"arith.{name}": _rounded(operator.pos) for name in ("trunci", "extf", "truncf")},
    **{f"arith.{name}": each(_from_integer) for name in ("sitofp", "uitofp")},
    **{f"arith.{name}": each(_to_integer) for name in ("fptosi", "fptoui")},
    "arith.bitcast": _bitcast,
    "vector.bitcast": _bitcast,
    "ub.poison": _poison,
}
