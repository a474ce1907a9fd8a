"""Branches and loops of rewritten functions as scf regions; those with static conditions stay Python."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from types import FunctionType, MethodType, ModuleType
from typing import Any, ClassVar

from flydsl.base.errors import FrontendError
from flydsl.expr.layouts.value import StructuredValue
from flydsl.expr.memory.tensor import Tensor
from flydsl.expr.numbers.arithmetic import Arithmetic
from flydsl.expr.numeric import Numeric
from flydsl.frontend.control.conditions import all_, and_, any_, or_
from flydsl.frontend.control.effects import emit_assertion
from flydsl.frontend.control.identity import in_, is_
from flydsl.frontend.control.pytree import flatten, structure
from flydsl.frontend.control.ranges import is_device_range, loop_range, static_items
from flydsl.frontend.control.regions import emit_for, emit_for_until, emit_if, emit_while
from flydsl.frontend.control.truth import as_condition, is_dynamic, truth
from flydsl.frontend.control.undefined import RETURNED, Absent, Emptied, Undefined
from flydsl.frontend.exceptions import check_caught

Body = Callable[..., Any]
Names = Sequence[str]
Values = Sequence[Any]
_UNCHANGED = (ModuleType, FunctionType, MethodType, type, Arithmetic, StructuredValue, bool, int, float, str)
_MAX_ITERATIONS = 65_536
_COMPARISONS = {"Eq": "eq", "NotEq": "ne", "Lt": "lt", "LtE": "le", "Gt": "gt", "GtE": "ge"}


class ControlFlow:
    """The functions that rewritten code calls instead of control-flow statements.

    `names` and `values` are the variables that a body assigns and returns, `changed` and `containers` those whose
    items it changes.

    In a helper a `range` of static bounds stays a Python loop, as it is outside of traced code.
    """

    __slots__ = ("is_helper",)
    ABSENT: ClassVar[Absent] = Absent()

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
    def passed(name: str, read: Callable[[], Any]) -> Any:
        """The value of a variable that a call may change; None for values that no call changes."""
        value = ControlFlow.lookup(name, read)
        return None if isinstance(value, _UNCHANGED) else value

    @staticmethod
    def read(value: Any) -> Any:
        """`value`, for operations that call none of its methods; an error when it is `Undefined`."""
        return value.fail() if isinstance(value, Undefined) else value

    @staticmethod
    def asked(value: Any) -> Any:
        """`value`, of which a program asks whether it is None."""
        return ControlFlow.read(Emptied.ask(value))

    @staticmethod
    def deleted(name: str, read: Callable[[], Any]) -> Any:
        """The value of a variable after `del`."""
        read()  # raises NameError as Python does
        return Undefined(name, "has no value after del; assign it again")

    @staticmethod
    def check_caught() -> None:
        """An exception that `try` cannot catch is raised again."""
        check_caught()

    @staticmethod
    def iterable(value: Any) -> Any:
        """The iterable of a Python loop; its items must be known while tracing."""
        if isinstance(value, Numeric | Tensor):
            raise FrontendError(
                f"{value!r} cannot be iterated over; "
                "count with `for i in range(...)` and read one element per iteration"
            )
        return value

    @staticmethod
    def keeps(test: Any) -> bool:
        """The condition of a comprehension: how many items there are must be known while tracing."""
        if is_dynamic(test):
            raise FrontendError(
                f"the condition of a comprehension is evaluated while tracing, and {test!r} is known only at run time; "
                "write a loop that accumulates the result, or .select() a neutral value"
            )
        return truth(test)

    @staticmethod
    def is_known(*flags: Any) -> bool:
        """Whether one of the flags is statically true, so that a loop ends while tracing."""
        return any(not is_dynamic(flag) and truth(flag) for flag in flags)

    @staticmethod
    def first_state(init: Any) -> Any:
        """The state that `range(..., init=)` passes to the first iteration; tuples become lists."""
        return list(init) if isinstance(init, tuple) and type(init) is tuple else init

    @staticmethod
    def next_state(before: Any, value: Any) -> Any:
        """The state that an iteration passes to the next one by `yield`."""
        state = ControlFlow.first_state(value)
        if isinstance(before, list) and not isinstance(state, list):
            state = [state]
        if structure(state) != structure(before):
            raise FrontendError(
                f"an iteration of the loop yields {len(flatten(state)[0])} values and init has "
                f"{len(flatten(before)[0])}, or they are nested differently; yield as many values as init has"
            )
        return state

    @staticmethod
    def last_state(state: Any) -> Any:
        """What `r = yield y` gives: the state of the last iteration, alone if it is one value."""
        return state[0] if isinstance(state, list) and len(state) == 1 else state

    @staticmethod
    def assert_(test: Any, message: Callable[[], Any], text: str) -> bool:
        """The truth of a static condition; a dynamic one is checked on the device, and True here."""
        if not is_dynamic(test):
            return truth(test)
        details = message()
        emit_assertion(as_condition(test), text if details is None else f"{text}: {details}")
        return True

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
        return emit_if(as_condition(test), *paths, (RETURNED,), changed, containers)[0]

    @staticmethod
    def if_expression(test: Any, then: Body, orelse: Body) -> Any:
        """`a if test else b`."""
        if not is_dynamic(test):
            return then() if truth(test) else orelse()
        paths = (lambda: (then(),)), (lambda: (orelse(),))
        return emit_if(as_condition(test), *paths, ("the conditional expression",))[0]

    @staticmethod
    def and_(first: Any, *rest: Body) -> Any:
        """`a and b`, evaluating b only where a is true."""
        return and_(first, *rest)

    @staticmethod
    def or_(first: Any, *rest: Body) -> Any:
        """`a or b`, evaluating b only where a is false."""
        return or_(first, *rest)

    @staticmethod
    def all_(first: Any, *rest: Body) -> Any:
        """The truth of `a and b`, where nothing else of it is used."""
        return all_(first, *rest)

    @staticmethod
    def any_(first: Any, *rest: Body) -> Any:
        """The truth of `a or b`, where nothing else of it is used."""
        return any_(first, *rest)

    @staticmethod
    def not_(operand: Any) -> Any:
        """`not a`."""
        return ~as_condition(operand) if is_dynamic(operand) else not truth(operand)

    def compare(self, left: Any, *links: tuple[str, Body]) -> Any:
        """`a < b < c`, each operand evaluated once, and only while the comparisons before it are true."""
        kind, read = links[0]
        right = read()
        result = self._compared(kind, left, right)
        if len(links) == 1:
            return result
        return and_(result, lambda: self.compare(right, *links[1:]))

    def _compared(self, kind: str, left: Any, right: Any) -> Any:
        if kind in _COMPARISONS:
            return getattr(operator, _COMPARISONS[kind])(left, right)
        test = self.is_(left, right) if kind.startswith("Is") else self.in_(left, right)
        return self.not_(test) if kind in ("IsNot", "NotIn") else test

    @staticmethod
    def is_(left: Any, right: Any) -> bool:
        """`a is b`."""
        return is_(ControlFlow.read(left), ControlFlow.read(right))

    @staticmethod
    def in_(item: Any, container: Any) -> Any:
        """`a in b`."""
        return in_(item, container)

    def for_(
        self,
        range_: Any,
        bounds: Values,
        unroll: Any,
        body: Body,
        stops: Sequence[int],
        names: Names,
        values: Values,
        changed: Names,
        containers: Values,
    ) -> Any:
        """`for i in range(...)`: a loop on the device that carries what the body assigns; the variables after it.

        `stops` are the indices of the variables that end the loop when they are true. In a helper a static range is
        Python's, unless `unroll` says how many iterations the device makes at a time.
        """
        state = names, changed, containers
        is_python = self.is_helper and unroll is None and not any(map(is_dynamic, bounds))
        if not is_device_range(range_) or unroll is True or is_python:
            items = self.iterable(static_items(range_, bounds, unroll))
            return self._python_for(items, body, stops, values, *state)
        loop = loop_range(bounds, unroll)
        if stops:
            return emit_for_until(loop, body, stops, names, values, changed, containers)
        return emit_for(loop, body, names, values, changed, containers)

    def _python_for(
        self,
        items: Iterable[Any],
        body: Body,
        stops: Sequence[int],
        values: Values,
        names: Names,
        changed: Names,
        containers: Values,
    ) -> Any:
        for item in items:
            flags = [values[index] for index in stops]
            if self.is_known(*flags):
                break
            if not any(map(is_dynamic, flags)):
                values = body(item, *values)
                continue
            stopped = any_(flags[0], *(partial(_same, flag) for flag in flags[1:]))
            paths = (lambda *now: now), partial(body, item)
            values = self.if_(stopped, *paths, names, values, changed, containers)
        return tuple(values)

    @staticmethod
    def while_(test: Body, body: Body, names: Names, values: Values, changed: Names, containers: Values) -> Any:
        """`while`: Python for as long as its test is static, scf.while from the first dynamic test on."""
        for _ in range(_MAX_ITERATIONS):
            condition = test(*values)
            if is_dynamic(condition):
                return emit_while(test, body, names, values, changed, containers)
            if not truth(condition):
                return tuple(values)
            values = body(*values)
        raise FrontendError(
            f"this loop did not end within {_MAX_ITERATIONS} iterations while tracing: "
            "its condition stays true for Python; let it depend on a value of the kernel, or count with range"
        )


def _same(value: Any) -> Any:
    return value
