"""Operations of upstream dialects: `arith`, `vector`, structs of `llvm`, thread numbers of `gpu`."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, VectorType
from xdsl.ir import Attribute, Operation

from flydsl.base.errors import IRError
from flydsl.ir.fly.attributes import as_python
from flydsl.ir.fly.element import element_bits, element_bytes
from flydsl.ir.interpret.handler import Handler, State
from flydsl.ir.interpret.memory import POISON, decoded, encoded, round_to

__all__ = ["HANDLERS"]


def _scalar_type(type_: Attribute) -> Attribute:
    return type_.element_type if isinstance(type_, VectorType) else type_


def _each(function: Callable[..., Any]) -> Handler:
    """A handler of an element-wise operation; `function` gets scalars and the scalar result type."""

    def apply(state: State, op: Operation, operands: list[Any]) -> list[Any]:
        type_ = _scalar_type(op.results[0].type)

        def one(*scalars: Any) -> Any:
            return POISON if POISON in scalars else round_to(function(*scalars), type_)

        if isinstance(op.results[0].type, VectorType):
            return [[one(*scalars) for scalars in zip(*operands, strict=True)]]
        return [one(*operands)]

    return apply


def _divide(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _constant(state: State, op: Operation, operands: list[Any]) -> list[Any]:
    value = op.properties["value"]
    if isinstance(value, IntegerAttr | FloatAttr):
        return [round_to(value.value.data, value.type)]
    if isinstance(value, DenseIntOrFPElementsAttr):
        return [list(value.get_values())]
    raise IRError(f"the constant {value} cannot be interpreted")


def _compare(state: State, op: Operation, operands: list[Any]) -> list[Any]:
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


def _compare_floats(state: State, op: Operation, operands: list[Any]) -> list[Any]:
    predicate = op.properties["predicate"]
    assert isinstance(predicate, IntegerAttr)
    number = predicate.value.data
    true_of_nan = number > 7
    relations = {14: 0, 15: 7}.get(number, number - 7 if true_of_nan else number)  # 1: equal, 2: greater, 4: less

    def one(a: float, b: float) -> int:
        if math.isnan(a) or math.isnan(b):
            return int(true_of_nan)
        return int(bool(relations & (1 if a == b else 2 if a > b else 4)))

    return _each(one)(state, op, operands)


def _extend(state: State, op: Operation, operands: list[Any]) -> list[Any]:
    width = element_bits(_scalar_type(op.operands[0].type))
    signed = op.name != "arith.extui"

    def one(value: Any) -> Any:
        return -value if signed and width == 1 else value & ((1 << width) - 1) if not signed else value

    return _each(one)(state, op, operands)


def _bitcast(state: State, op: Operation, operands: list[Any]) -> list[Any]:
    source, target = op.operands[0].type, op.results[0].type
    values = operands[0] if isinstance(operands[0], list) else [operands[0]]
    if any(value is POISON for value in values):
        return [[POISON] * target.element_count() if isinstance(target, VectorType) else POISON]
    data = b"".join(encoded(value, _scalar_type(source)) for value in values)
    size = element_bytes(_scalar_type(target))
    found = [decoded(data[i : i + size], _scalar_type(target)) for i in range(0, len(data), size)]
    return [found if isinstance(target, VectorType) else found[0]]


def _poison(state: State, op: Operation, operands: list[Any]) -> list[Any]:
    type_ = op.results[0].type
    return [[POISON] * type_.element_count() if isinstance(type_, VectorType) else POISON]


def _identifier(state: State, op: Operation, operands: list[Any]) -> list[Any]:
    return [state.ids[op.name]["xyz".index(op.properties["dimension"].data.value)]]  # type: ignore[attr-defined]


def _numbers(op: Operation, name: str) -> tuple[int, ...]:
    found = as_python(op.properties[name])
    assert isinstance(found, tuple)
    return found


def _vector_extract(state: State, op: Operation, operands: list[Any]) -> list[Any]:
    (position,) = _numbers(op, "static_position")
    return [operands[0][position]]


def _vector_insert(state: State, op: Operation, operands: list[Any]) -> list[Any]:
    (position,) = _numbers(op, "static_position")
    value, target = operands
    return [[*target[:position], value, *target[position + 1 :]]]


def _extract_slice(state: State, op: Operation, operands: list[Any]) -> list[Any]:
    (offset,), (size,) = _numbers(op, "offsets"), _numbers(op, "sizes")
    return [operands[0][offset : offset + size]]


def _insert_slice(state: State, op: Operation, operands: list[Any]) -> list[Any]:
    (offset,) = _numbers(op, "offsets")
    value, target = operands
    return [[*target[:offset], *value, *target[offset + len(value) :]]]


def _shuffle(state: State, op: Operation, operands: list[Any]) -> list[Any]:
    both = [*operands[0], *operands[1]]
    return [[both[index] for index in _numbers(op, "mask")]]


def _extract_value(state: State, op: Operation, operands: list[Any]) -> list[Any]:
    value = operands[0]
    for index in _numbers(op, "position"):
        value = value[index]
    return [value]


def _insert_value(state: State, op: Operation, operands: list[Any]) -> list[Any]:
    def inserted(target: Any, path: Sequence[int]) -> Any:
        if not path:
            return operands[1]
        parts = list(target or ())
        parts += [None] * (path[0] + 1 - len(parts))
        parts[path[0]] = inserted(parts[path[0]], path[1:])
        return parts

    return [inserted(operands[0], _numbers(op, "position"))]


def _unsigned_shift(state: State, op: Operation, operands: list[Any]) -> list[Any]:
    bits = (1 << element_bits(_scalar_type(op.results[0].type))) - 1
    return _each(lambda a, b: (a & bits) >> b)(state, op, operands)


HANDLERS: Mapping[str, Handler] = {
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
    "arith.cmpf": _compare_floats,
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
