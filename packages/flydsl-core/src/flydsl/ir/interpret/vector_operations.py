"""Operations of `vector`, and of the structs of `llvm`: vectors are flat lists in row-major order, structs lists."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from math import prod
from typing import Any

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Operation

from flydsl.base.arithmetic import maximum, maximum_number, minimum, minimum_number
from flydsl.base.errors import IRError
from flydsl.ir.fly.element import element_bits
from flydsl.ir.interpret.handler import Action, Handler, guarded, numbers_of, scalar_type
from flydsl.ir.interpret.numbers import rounder

_COMBINE: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "mul": operator.mul,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "maxsi": max,
    "minsi": min,
    "maximumf": maximum,
    "minimumf": minimum,
    "maxnumf": maximum_number,
    "minnumf": minimum_number,
}


def _shape(value: Any) -> tuple[int, ...]:
    type_ = value.type
    return tuple(type_.get_shape()) if isinstance(type_, VectorType) else ()


def _span(op: Operation, whole: tuple[int, ...]) -> tuple[int, int]:
    """First element and number of elements at a static position of the leading modes."""
    position = numbers_of(op, "static_position")
    count = prod(whole[len(position) :])
    first = 0
    for index, extent in zip(position, whole, strict=False):
        first = first * extent + index
    return first * count, count


def _extract(op: Operation) -> Action:
    first, count = _span(op, _shape(op.operands[0]))
    if not isinstance(op.results[0].type, VectorType):
        return lambda thread, vector: vector[first]
    return lambda thread, vector: vector[first : first + count]


def _insert(op: Operation) -> Action:
    first, count = _span(op, _shape(op.operands[1]))
    if isinstance(op.operands[0].type, VectorType):
        return lambda thread, value, vector: [*vector[:first], *value, *vector[first + count :]]
    return lambda thread, value, vector: [*vector[:first], value, *vector[first + 1 :]]


def _broadcast(op: Operation) -> Action:
    target, source = _shape(op.results[0]), _shape(op.operands[0])
    total = prod(target)
    if not source:
        return lambda thread, value: [value] * total
    if target[len(target) - len(source) :] != source:
        raise IRError(f"{op.name} from {source} to {target} cannot be interpreted")
    times = total // prod(source)
    return lambda thread, value: value * times


def _slice(op: Operation) -> Action:
    (offset,), (size,) = numbers_of(op, "offsets"), numbers_of(op, "sizes")
    return lambda thread, vector: vector[offset : offset + size]


def _insert_slice(op: Operation) -> Action:
    (offset,) = numbers_of(op, "offsets")
    return lambda thread, value, vector: [*vector[:offset], *value, *vector[offset + len(value) :]]


def _shuffle(op: Operation) -> Action:
    mask = numbers_of(op, "mask")
    return lambda thread, a, b: [(*a, *b)[index] for index in mask]


def _reduction(op: Operation) -> Action:
    """One after the other, beginning with the accumulator; every step is rounded."""
    type_, kind = scalar_type(op.results[0].type), op.properties["kind"].data.value  # type: ignore[attr-defined]
    mask = (1 << element_bits(type_)) - 1
    round_ = rounder(type_)
    if kind in ("maxui", "minui"):
        choose = max if kind == "maxui" else min
        combine = guarded(lambda a, b: choose(a, b, key=lambda x: x & mask))
    else:
        function = _COMBINE[kind]
        combine = guarded(lambda a, b: round_(function(a, b)))
    return lambda thread, vector, *start: reduce(combine, [*start, *vector])


def _extract_value(op: Operation) -> Action:
    position = numbers_of(op, "position")
    return lambda thread, value: reduce(lambda part, index: part[index], position, value)


def _insert_value(op: Operation) -> Action:
    position = numbers_of(op, "position")

    def inserted(target: Any, value: Any, path: Sequence[int]) -> Any:
        if not path:
            return value
        parts = list(target or ())
        parts += [None] * (path[0] + 1 - len(parts))
        parts[path[0]] = inserted(parts[path[0]], value, path[1:])
        return parts

    return lambda thread, target, value: inserted(target, value, position)


def _same(op: Operation) -> Action:
    return lambda thread, value: value


HANDLERS: Mapping[str, Handler] = {
    "vector.extract": _extract,
    "vector.insert": _insert,
    "vector.broadcast": _broadcast,
    "vector.extract_strided_slice": _slice,
    "vector.insert_strided_slice": _insert_slice,
    "vector.shuffle": _shuffle,
    "vector.reduction": _reduction,
    "vector.from_elements": lambda op: lambda thread, *elements: list(elements),
    "vector.to_elements": lambda op: lambda thread, vector: tuple(vector) if len(vector) > 1 else vector[0],
    "vector.shape_cast": _same,
    "llvm.mlir.undef": lambda op: lambda thread: None,
    "llvm.extractvalue": _extract_value,
    "llvm.insertvalue": _insert_value,
}
