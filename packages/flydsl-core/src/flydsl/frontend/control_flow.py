"""Branches and loops of rewritten functions in, scf regions out; whatever is known while tracing stays Python."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Sequence
from types import FunctionType, MethodType
from typing import Any

from flydsl.base.errors import UnsupportedConstructError
from flydsl.frontend.conditions import and_, as_condition, is_dynamic, or_, truth
from flydsl.frontend.regions import emit_for, emit_if, emit_while, loop_bounds
from flydsl.frontend.undefined import Undefined

__all__ = ["ControlFlow"]

Body = Callable[..., Any]
Names = Sequence[str]
Values = Sequence[Any]
_COMPARISONS = {"Eq": "eq", "NotEq": "ne", "Lt": "lt", "LtE": "le", "Gt": "gt", "GtE": "ge"}


class ControlFlow:
    """What rewritten code calls. `names` and `values` are the variables that a body assigns and gives back, `changed`
    and `containers` those whose items it changes.

    In a helper a `range` of static bounds stays a Python loop, as it is outside of traced code.
    """

    __slots__ = ("is_helper",)

    def __init__(self, is_helper: bool = False) -> None:
        self.is_helper = is_helper

    @staticmethod
    def lookup(name: str, read: Callable[[], Any]) -> Any:
        """The value of a variable, `Undefined` when it has none yet."""
        try:
            return read()
        except NameError:
            return Undefined(name)

    @staticmethod
    def callee(function: Any) -> Any:
        """What to call for `function`: a helper of the user's is rewritten too, everything else is left alone."""
        kind = type(function)
        if kind is not FunctionType and kind is not MethodType:
            return function
        from flydsl.frontend.helpers import rewritten_helper

        if kind is FunctionType:
            return rewritten_helper(function)
        inner = function.__func__
        return MethodType(rewritten_helper(inner), function.__self__) if type(inner) is FunctionType else function

    @staticmethod
    def static_test(test: Any, construct: str) -> bool:
        """The truth of a condition whose branch leaves the function or loop: it must be known while tracing."""
        if is_dynamic(test):
            raise UnsupportedConstructError(
                f"`{construct}` under a condition known only at run time is not supported here; "
                "use if/else with assignments, or make the condition static"
            )
        return truth(test)

    @staticmethod
    def static_range(range_: Any, construct: str) -> Callable[..., Any]:
        """The `range` of a loop whose body leaves it or the function: its bounds must be known while tracing."""

        def iterate(*bounds: Any) -> Any:
            if range_ is builtins.range and any(map(is_dynamic, bounds)):
                raise UnsupportedConstructError(
                    f"`{construct}` in a loop whose bounds are known only at run time is not supported here; "
                    "use if/else with assignments in the loop, or make its bounds static"
                )
            return range_(*bounds)

        return iterate

    @staticmethod
    def if_(
        test: Any, then: Body, orelse: Body, names: Names, values: Values, changed: Names, containers: Values
    ) -> Any:
        """`if`: the branch taken when `test` is static, scf.if when it is dynamic."""
        if not is_dynamic(test):
            return then(*values) if truth(test) else orelse(*values)
        paths = (lambda: then(*values)), (lambda: orelse(*values))
        return emit_if(as_condition(test), *paths, names, changed, containers)

    @staticmethod
    def if_return(
        test: Any, then: Body, orelse: Body, names: Names, values: Values, changed: Names, containers: Values
    ) -> Any:
        """`if` that ends a function: what the function returns."""
        if not is_dynamic(test):
            return then(*values) if truth(test) else orelse(*values)
        paths = (lambda: (then(*values),)), (lambda: (orelse(*values),))
        return emit_if(as_condition(test), *paths, ("the returned value",), changed, containers)[0]

    @staticmethod
    def if_expression(test: Any, then: Body, orelse: Body) -> Any:
        """`a if test else b`."""
        if not is_dynamic(test):
            return then() if truth(test) else orelse()
        paths = (lambda: (then(),)), (lambda: (orelse(),))
        return emit_if(as_condition(test), *paths, ("the conditional expression",))[0]

    @staticmethod
    def and_(first: Any, *rest: Body) -> Any:
        """`a and b`, evaluating b only where a holds."""
        return and_(first, *rest)

    @staticmethod
    def or_(first: Any, *rest: Body) -> Any:
        """`a or b`, evaluating b only where a does not hold."""
        return or_(first, *rest)

    @staticmethod
    def not_(operand: Any) -> Any:
        """`not a`."""
        return ~as_condition(operand) if is_dynamic(operand) else not truth(operand)

    def compare(self, left: Any, *links: tuple[str, Body]) -> Any:
        """`a < b < c`, each operand evaluated once, and only while the links before it hold."""
        kind, read = links[0]
        right = read()
        result = getattr(operator, _COMPARISONS[kind])(left, right)
        if len(links) == 1:
            return result
        return and_(result, lambda: self.compare(right, *links[1:]))

    def for_(
        self,
        range_: Any,
        bounds: Values,
        body: Body,
        target: str,
        names: Names,
        values: Values,
        changed: Names,
        containers: Values,
    ) -> Any:
        """`for i in range(...)`: scf.for that carries what the body assigns; i and the variables after it."""
        if range_ is not builtins.range or (self.is_helper and not any(map(is_dynamic, bounds))):
            item: Any = Undefined(target)
            for item in range_(*bounds):
                values = body(item, *values)
            return (item, *values)
        return Undefined(target), *emit_for(loop_bounds(bounds), body, names, values, changed, containers)

    @staticmethod
    def while_(test: Body, body: Body, names: Names, values: Values, changed: Names, containers: Values) -> Any:
        """`while`: Python when its first test is static, scf.while when it is dynamic."""
        first = test(*values)
        if is_dynamic(first):
            return emit_while(test, body, names, values, changed, containers)
        while truth(first):
            values = body(*values)
            first = test(*values)
            if is_dynamic(first):
                raise UnsupportedConstructError(
                    "the condition of a while loop became dynamic; make it dynamic from the start"
                )
        return values
