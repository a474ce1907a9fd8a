"""Wrong arithmetic: changes of what one kind of operation gives, made for the interpreter that a toy device runs on.

A kind is an operation with its types, as in `arith.addi i32`. A mutant differs from right code in one thing only.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from xdsl.ir import Operation

from flydsl.base.errors import FlyDSLError
from flydsl.ir.fly.element import element_bits
from flydsl.ir.interpret.handler import Action, Handler, scalar_type
from flydsl.ir.interpret.interpreter import HANDLERS
from flydsl.ir.interpret.numbers import is_float, rounder
from flydsl.testing.suite.math_tables import BINARY, BOUNDS

Lane = Callable[..., Any]
"""(result, *operands) of scalars -> the wrong result."""

OTHERS = {
    **{"arith.divsi": "arith.divui", "arith.remsi": "arith.remui", "arith.divui": "arith.divsi"},
    **{"arith.floordivsi": "arith.divsi", "arith.ceildivsi": "arith.divsi", "arith.remui": "arith.remsi"},
    **{"arith.shrsi": "arith.shrui", "arith.shrui": "arith.shrsi", "arith.shli": "arith.shrui"},
    **{"arith.minsi": "arith.minui", "arith.maxsi": "arith.maxui", "arith.minui": "arith.minsi"},
    **{"arith.maxui": "arith.maxsi"},
    **{"arith.andi": "arith.ori", "arith.ori": "arith.xori", "arith.xori": "arith.ori", "arith.muli": "arith.addi"},
    **{"arith.maximumf": "arith.maxnumf", "arith.minimumf": "arith.minnumf", "arith.maxnumf": "arith.maximumf"},
    **{"arith.minnumf": "arith.minimumf", "arith.addf": "arith.subf", "arith.subf": "arith.addf"},
    **{"math.roundeven": "math.round", "math.round": "math.roundeven", "math.floor": "math.trunc"},
    **{"math.ceil": "math.round", "math.trunc": "math.floor", "math.exp": "math.exp2", "math.log2": "math.log"},
    **{"math.sin": "math.tan", "math.isnan": "math.isinf", "math.isfinite": "math.isnan", "math.cttz": "math.ctlz"},
}
"""Operations that code may confuse with another one."""
UNSEEN = {("arith.remf", "zero loses its sign")}
"""What no kernel can tell: remainders are only inside of `//` and `%`, which give zeros a sign of their own."""
_EXACT = {
    "arith.addf": lambda a, b: a + b,
    "arith.subf": lambda a, b: a - b,
    "arith.mulf": lambda a, b: a * b,
    "arith.divf": lambda a, b: a / b,
    "arith.truncf": lambda a: a,
    "arith.sitofp": lambda a: a,
    "arith.uitofp": lambda a: a,
}
_LEAST = {"f16": 2.0**-14, "bf16": 2.0**-126, "f32": 2.0**-126, "f64": 2.0**-1022}
_LARGEST = {"f16": 65504.0, "bf16": 3.3895313892515355e38, "f32": 3.4028234663852886e38, "f64": 1.7976931348623157e308}
_DIGITS = {"f16": 11, "bf16": 8, "f32": 24, "f64": 53}


def kind_of(op: Operation) -> str:
    """The operation with the types of its scalars; of comparisons the predicate too."""
    types = [str(scalar_type(value.type)) for value in (*op.operands[:1], *op.results[:1])]
    predicate = op.properties.get("predicate")
    number = f" predicate {predicate.value.data}" if predicate is not None else ""  # type: ignore[attr-defined]
    return f"{op.name} {' -> '.join(dict.fromkeys(types))}{number}"


@dataclass
class Mutant:
    """One kind of operation that gives something else; `changed` counts how often it did."""

    kind: str
    change: str
    handler: Callable[[Mutant, Operation], Action]
    changed: int = field(default=0, compare=False)

    @property
    def name(self) -> str:
        """As it is shown."""
        return f"{self.kind}: {self.change}"

    @property
    def operation(self) -> str:
        """Its name without types."""
        return self.kind.partition(" ")[0]

    def handlers(self) -> dict[str, Handler]:
        """Those of the interpreter with this change."""
        right = HANDLERS[self.operation]

        def handle(op: Operation) -> Action:
            return self.handler(self, op) if kind_of(op) == self.kind else right(op)

        return {**HANDLERS, self.operation: handle}

    def noted(self, right: Any, wrong: Any) -> Any:
        """The wrong result; what is the same does not count."""
        self.changed += repr(right) != repr(wrong)
        return wrong


def mutants_of(kind: str, op: Operation) -> Iterator[Mutant]:
    """Every change that makes sense for operations of a kind, such as `op`."""
    for change, lane in _lanes(op).items():
        if (op.name, change) not in UNSEEN:
            yield Mutant(kind, change, _by_lanes(lane))
    first, *others = [value.type for value in op.operands] or [None]
    if others and first == others[0] and not op.name.startswith("fly."):
        yield Mutant(kind, "operands are swapped", _with_action(lambda action, t, a, b, *rest: action(t, b, a, *rest)))
    other = OTHERS.get(op.name)
    if other is not None:
        yield Mutant(kind, f"is {other}", lambda mutant, op: _replaced(mutant, op, HANDLERS[other](op)))


def _lanes(op: Operation) -> dict[str, Lane]:
    """Changes of the results of scalars, by name."""
    if not op.results:
        return {}
    type_ = scalar_type(op.results[0].type)
    name = str(type_)
    try:
        round_ = rounder(type_)
    except (FlyDSLError, AttributeError):  # pointers and tuples
        return {}
    misread = _of_sign(op, round_)
    if is_float(type_):
        return {**misread, **_of_floats(op, name), **_of_rounding(op, name)} if name in _DIGITS else {}
    if name == "i1":
        return {"is the opposite": lambda r, *_: 1 - r, "is always true": lambda r, *_: 1, **_of_comparisons(op)}
    bits = 64 if name == "index" else int(name[1:])
    kept = (1 << (bits - 1)) - 1
    changes: dict[str, Lane] = {
        **misread,
        "is one more": lambda r, *_: round_(r + 1),
        "loses its sign": lambda r, *_: abs(r),
        "loses its high bit": lambda r, *_: r & kept,
    }
    if op.name in ("arith.addi", "arith.muli"):
        exact: Any = sum if op.name == "arith.addi" else math.prod
        changes["saturates"] = lambda r, *operands: max(min(exact(operands), kept), -kept - 1)
    return changes


def _of_sign(op: Operation, round_: Callable[[Any], Any]) -> dict[str, Lane]:
    """An integer is converted as if it had a sign, or none; here all have one."""
    if op.name in ("arith.extsi", "arith.sitofp"):
        modulus = 1 << element_bits(scalar_type(op.operands[0].type))
        return {"counts as unsigned": lambda r, a: round_(a % modulus)}
    return {"counts as signed": lambda r, a: round_(a)} if op.name in ("arith.extui", "arith.uitofp") else {}


def _of_comparisons(op: Operation) -> dict[str, Lane]:
    """The sign of integers misunderstood, or NaN."""
    if op.name == "arith.cmpf":
        return {"is the opposite of NaN": lambda r, a, b: r if a == a and b == b else 1 - r}
    if op.name != "arith.cmpi":
        return {}
    number = op.properties["predicate"].value.data  # type: ignore[attr-defined]
    half = 1 << (element_bits(scalar_type(op.operands[0].type)) - 1)
    if number < 2:
        return {}
    compare = (operator.lt, operator.le, operator.gt, operator.ge)[(number - 2) % 4]
    if number < 6:
        return {"counts as unsigned": lambda r, a, b: int(compare(a % (2 * half), b % (2 * half)))}
    return {"counts as signed": lambda r, a, b: int(compare(a, b))}


def _of_floats(op: Operation, name: str) -> dict[str, Lane]:
    least, largest = _LEAST[name], _LARGEST[name]
    function = op.name.removeprefix("math.")
    units = 1 + math.ceil({**BOUNDS, **BINARY}.get(function, 0.0)) if name == "f32" else 1

    def beyond(right: float, *_: Any) -> float:
        is_in_range = math.isfinite(right) and least < abs(right) < largest / 2
        return right + math.copysign(units * _unit(right, name), right) if is_in_range else right

    return {
        "is a unit beyond its bound": beyond,
        "zero loses its sign": lambda r, *_: 0.0 if r == 0 else r,
        "NaN is zero": lambda r, *_: 0.0 if r != r else r,
        "infinity is the largest": lambda r, *_: math.copysign(largest, r) if math.isinf(r) else r,
        "subnormal numbers are zero": lambda r, *_: math.copysign(0.0, r) if abs(r) < least else r,
    }


def _of_rounding(op: Operation, name: str) -> dict[str, Lane]:
    exact = _EXACT.get(op.name)
    if exact is None:
        return {}

    def toward_zero(right: float, *operands: Any) -> float:
        if not math.isfinite(right) or not all(math.isfinite(value) for value in operands) or right == 0:
            return right
        return right - math.copysign(_unit(right, name), right) if _is_beyond(right, operands) else right

    def _is_beyond(right: float, operands: tuple[Any, ...]) -> bool:
        return bool(abs(Fraction(right)) > abs(exact(*map(Fraction, operands))))

    return {"is rounded toward zero": toward_zero}


def _unit(value: float, name: str) -> float:
    """The distance between floats of a type at a number."""
    if value == 0:
        return 0.0
    _, exponent = math.frexp(abs(value))
    lowest = math.frexp(_LEAST[name])[1] - _DIGITS[name]
    return math.ldexp(1.0, max(exponent - _DIGITS[name], lowest))


def _by_lanes(change: Lane) -> Callable[[Mutant, Operation], Action]:
    def handler(mutant: Mutant, op: Operation) -> Action:
        action = HANDLERS[op.name](op)

        def one(right: Any, *operands: Any) -> Any:
            if not isinstance(right, int | float):  # an undefined value stays one
                return right
            return mutant.noted(right, change(right, *operands))

        def wrong(thread: Any, *operands: Any) -> Any:
            right = action(thread, *operands)
            if not isinstance(right, list):
                return one(right, *operands)
            lanes = zip(*operands, strict=True) if all(_is_like(value, right) for value in operands) else None
            return [one(r, *next(lanes)) if lanes else one(r) for r in right]

        return wrong

    return handler


def _is_like(value: Any, right: list[Any]) -> bool:
    return isinstance(value, list) and len(value) == len(right)


def _with_action(call: Callable[..., Any]) -> Callable[[Mutant, Operation], Action]:
    """`call(action, thread, *operands)` in place of the action."""

    def handler(mutant: Mutant, op: Operation) -> Action:
        action = HANDLERS[op.name](op)
        return _replaced(mutant, op, lambda thread, *operands: call(action, thread, *operands))

    return handler


def _replaced(mutant: Mutant, op: Operation, action: Action) -> Action:
    right = HANDLERS[op.name](op)
    return lambda thread, *operands: mutant.noted(right(thread, *operands), action(thread, *operands))
