"""Branches and loops of rewritten functions in, scf regions out; whatever is known while tracing stays Python."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Sequence
from typing import Any

from flydsl.base.errors import FrontendError, UnsupportedConstructError
from flydsl.expr.context import current
from flydsl.expr.int_tuple import IntTuple
from flydsl.expr.numeric import Boolean, Int32, Int64, Numeric, as_numeric
from flydsl.expr.vector import Vector
from flydsl.frontend.carried import LoopVariables, Undefined, join

__all__ = ["ControlFlow"]

Body = Callable[..., Any]
_COMPARISONS = {"Eq": "eq", "NotEq": "ne", "Lt": "lt", "LtE": "le", "Gt": "gt", "GtE": "ge"}


class ControlFlow:
    """What rewritten code calls; one stateless object serves all functions."""

    __slots__ = ()

    @staticmethod
    def lookup(name: str, read: Callable[[], Any]) -> Any:
        """The value of a variable, `Undefined` when it has none yet."""
        try:
            return read()
        except NameError:
            return Undefined(name)

    @staticmethod
    def undefined(name: str) -> Undefined:
        """What a loop variable is after its loop."""
        return Undefined(name)

    @staticmethod
    def static_test(test: Any, construct: str) -> bool:
        """The truth of a condition whose branch leaves the function or loop: it must be known while tracing."""
        if _is_dynamic(test):
            raise UnsupportedConstructError(
                f"`{construct}` under a condition known only at run time is not supported here; "
                "use if/else with assignments, or make the condition static"
            )
        return bool(test)

    @staticmethod
    def if_(test: Any, then: Body, orelse: Body, names: Sequence[str], values: Sequence[Any]) -> Any:
        """`if`: the branch taken when `test` is static, scf.if when it is dynamic."""
        if not _is_dynamic(test):
            return then(*values) if _truth(test) else orelse(*values)
        return _emit_if(_as_condition(test), lambda: then(*values), lambda: orelse(*values), names)

    @staticmethod
    def if_expression(test: Any, then: Body, orelse: Body) -> Any:
        """`a if test else b`."""
        if not _is_dynamic(test):
            return then() if _truth(test) else orelse()
        return _emit_if(_as_condition(test), lambda: (then(),), lambda: (orelse(),), ("the conditional expression",))[0]

    def and_(self, first: Any, *rest: Body) -> Any:
        """`a and b`, evaluating b only where a holds."""
        return _short_circuit(first, rest, stop_on=False)

    def or_(self, first: Any, *rest: Body) -> Any:
        """`a or b`, evaluating b only where a does not hold."""
        return _short_circuit(first, rest, stop_on=True)

    @staticmethod
    def not_(operand: Any) -> Any:
        """`not a`."""
        return ~_as_condition(operand) if _is_dynamic(operand) else not _truth(operand)

    def compare(self, left: Any, *links: tuple[str, Body]) -> Any:
        """`a < b < c`, each operand evaluated once, and only while the links before it hold."""
        kind, read = links[0]
        right = read()
        result = getattr(operator, _COMPARISONS[kind])(left, right)
        if len(links) == 1:
            return result
        return self.and_(result, lambda: self.compare(right, *links[1:]))

    @staticmethod
    def for_(range_: Any, bounds: Sequence[Any], body: Body, names: Sequence[str], values: Sequence[Any]) -> Any:
        """`for i in range(...)`: scf.for, with the variables that the body assigns carried from turn to turn."""
        if range_ is not builtins.range:
            for item in range_(*bounds):
                values = body(item, *values)
            return values
        return _emit_for(_bounds(bounds), body, names, values)

    @staticmethod
    def while_(test: Body, body: Body, names: Sequence[str], values: Sequence[Any]) -> Any:
        """`while`: Python when its first test is static, scf.while when it is dynamic."""
        first = test(*values)
        if _is_dynamic(first):
            return _emit_while(test, body, names, values)
        while _truth(first):
            values = body(*values)
            first = test(*values)
            if _is_dynamic(first):
                raise UnsupportedConstructError(
                    "the condition of a while loop became dynamic; make it dynamic from the start"
                )
        return values


def _is_dynamic(value: Any) -> bool:
    return (isinstance(value, Numeric | IntTuple) and not value.is_static) or isinstance(value, Vector)


def _truth(value: Any) -> bool:
    return bool(value.value) if isinstance(value, Numeric) else bool(value)


def _as_condition(value: Any) -> Boolean:
    if isinstance(value, Vector):
        raise FrontendError(f"a condition must be one Boolean, found {value!r}; use .select() or reduce it")
    scalar = as_numeric(value)
    return scalar if isinstance(scalar, Boolean) else Boolean(scalar)


def _short_circuit(first: Any, rest: Sequence[Body], *, stop_on: bool) -> Any:
    result = first
    for index, read in enumerate(rest):
        if _is_dynamic(result):
            return _short_circuit_dynamic(_as_condition(result), rest[index:], stop_on)
        if _truth(result) is stop_on:
            return result
        result = read()
    return result


def _short_circuit_dynamic(condition: Boolean, rest: Sequence[Body], stop_on: bool) -> Any:
    def stop() -> tuple[Any]:
        return (Boolean(stop_on),)

    def evaluate() -> tuple[Any]:
        return (_as_condition(_short_circuit(rest[0](), rest[1:], stop_on=stop_on)),)

    then, orelse = (stop, evaluate) if stop_on else (evaluate, stop)
    return _emit_if(condition, then, orelse, ("the condition",))[0]


def _emit_if(condition: Boolean, then: Body, orelse: Body, names: Sequence[str]) -> Any:
    from xdsl.ir import Block, Region

    emitter = current()
    blocks, outcomes = (Block(), Block()), []
    for block, path in zip(blocks, (then, orelse), strict=True):
        with emitter.inside(block):
            outcomes.append(path())
    joined = [join(name, a, b) for name, a, b in zip(names, *outcomes, strict=True)]
    types: list[Any] = []
    for side, block in enumerate(blocks):
        with emitter.inside(block):
            yielded = [leaf.ir_value() for parts in joined for leaf in parts[side]]
            emitter.op("scf.yield", yielded)
            types = [value.type for value in yielded]
    op = emitter.op("scf.if", [condition.ir_value()], types, regions=[Region(block) for block in blocks])
    return _finish(joined, list(op.results))


def _finish(joined: Sequence[Any], results: list[Any]) -> tuple[Any, ...]:
    outcome = []
    for left, _, finish in joined:
        outcome.append(finish(results[: len(left)]))
        results = results[len(left) :]
    return tuple(outcome)


def _bounds(args: Sequence[Any]) -> tuple[Any, Any, Any]:
    if not 1 <= len(args) <= 3:
        raise FrontendError(f"range takes 1 to 3 arguments, found {len(args)}")
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    scalars = [as_numeric(bound) for bound in (start, stop, step)]
    if any(scalar.is_float for scalar in scalars):
        raise FrontendError(f"range takes integers, found {scalars!r}")
    if scalars[2].is_static and scalars[2].value <= 0:
        raise UnsupportedConstructError(
            f"a dynamic loop needs a positive step, found {scalars[2].value}; use range_constexpr, or count up"
        )
    wide = Int64 if any(scalar.width > 32 for scalar in scalars) else Int32
    return wide(scalars[0]), wide(scalars[1]), wide(scalars[2])


def _emit_for(bounds: tuple[Any, Any, Any], body: Body, names: Sequence[str], values: Sequence[Any]) -> Any:
    from xdsl.ir import Block, Region

    emitter = current()
    index, operands = bounds[0], [bound.ir_value() for bound in bounds]
    loop = LoopVariables(names, values)
    while True:
        inits = loop.inits()
        block = Block(arg_types=[index.ir_type, *(init.type for init in inits)])
        with emitter.inside(block):
            outcome = body(type(index).wrap(block.args[0]), *loop.values(block.args[1:]))
            if loop.settles(outcome):
                emitter.op("scf.yield", loop.yields(outcome))
                break
        loop.widen()
    op = emitter.op("scf.for", [*operands, *inits], [init.type for init in inits], regions=[Region(block)])
    return loop.results(op.results)


def _emit_while(test: Body, body: Body, names: Sequence[str], values: Sequence[Any]) -> Any:
    from xdsl.ir import Block, Region

    emitter = current()
    loop = LoopVariables(names, values)
    while True:
        inits = loop.inits()
        types = [init.type for init in inits]
        before, after = Block(arg_types=types), Block(arg_types=types)
        with emitter.inside(after):
            outcome = body(*loop.values(after.args))
            if loop.settles(outcome):
                emitter.op("scf.yield", loop.yields(outcome))
                break
        loop.widen()
    with emitter.inside(before):
        condition = _as_condition(test(*loop.values(before.args)))
        emitter.op("scf.condition", [condition.ir_value(), *before.args])
    op = emitter.op("scf.while", inits, types, regions=[Region(before), Region(after)])
    return loop.results(op.results)
