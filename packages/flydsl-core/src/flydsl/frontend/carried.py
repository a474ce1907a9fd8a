"""Values at the ends of two paths in, one common set of types out: what an `if`, `for` or `while` yields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flydsl.base.errors import FrontendError
from flydsl.expr.numeric import Numeric, as_numeric
from flydsl.expr.operators import Arithmetic
from flydsl.expr.promote import arithmetic_type
from flydsl.expr.value import StructuredValue
from flydsl.expr.vector import Vector
from flydsl.frontend.trees import flatten

__all__ = ["LoopVariables", "Undefined", "join"]


class Undefined:
    """Stands for a variable that has no value on some path; any use of it is an error that says so."""

    def __init__(self, name: str) -> None:
        object.__setattr__(self, "_name", name)

    def _fail(self, *_: Any, **__: Any) -> Any:
        name = object.__getattribute__(self, "_name")
        raise FrontendError(
            f"variable {name!r} has no value on some path through a dynamic branch or loop; assign it before"
        )

    __getattr__ = __call__ = __getitem__ = __iter__ = __bool__ = __len__ = __index__ = _fail
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _fail
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = (
        _fail
    )
    __lt__ = __le__ = __gt__ = __ge__ = __neg__ = __invert__ = __setattr__ = __setitem__ = _fail


class _Pending:
    """A number or vector that is converted to `dtype` where its path ends."""

    __slots__ = ("dtype", "source")

    def __init__(self, source: Any, dtype: type[Numeric]) -> None:
        self.source, self.dtype = source, dtype

    def ir_value(self) -> Any:
        """The converted SSA value, emitted here."""
        return self.source.to(self.dtype).ir_value()

    def __construct_from_ir_values__(self, values: list[Any]) -> Any:
        shape = self.source.shape
        return self.dtype.wrap(values[0]) if shape is None else Vector(values[0], shape, self.dtype)


def join(name: str, lhs: Any, rhs: Any) -> tuple[list[Any], list[Any], Any]:
    """The parts of a variable that differ between two paths, pair by pair of one type, and how to rebuild it.

    Each part has `ir_value()`, to be called at the end of its path; the third value maps joined SSA values to the
    variable.
    """
    left, build = flatten(lhs)
    right, _ = flatten(rhs)
    if len(left) != len(right):
        raise FrontendError(
            f"variable {name!r} has {len(left)} parts on one path and {len(right)} on the other; make them alike"
        )
    pairs = [_join_leaf(name, a, b) for a, b in zip(left, right, strict=True)]

    def finish(results: Sequence[Any]) -> Any:
        remaining = iter(results)
        return build([a if b is None else a.__construct_from_ir_values__([next(remaining)]) for a, b in pairs])

    return [a for a, b in pairs if b is not None], [b for _, b in pairs if b is not None], finish


class LoopVariables:
    """The variables that a loop body assigns: which of their parts are carried, and with what types."""

    def __init__(self, names: Sequence[str], values: Sequence[Any]) -> None:
        self._names, self._builds = list(names), []
        self._leaves: list[tuple[str, Any]] = []
        self._counts: list[int] = []
        for name, value in zip(names, values, strict=True):
            leaves, build = flatten(value)
            self._builds.append(build)
            self._counts.append(len(leaves))
            self._leaves += [
                (name, as_numeric(leaf) if isinstance(leaf, bool | int | float) else leaf) for leaf in leaves
            ]
        self._wider: dict[int, type[Numeric]] = {}

    def inits(self) -> list[Any]:
        """The SSA values before the first turn."""
        return [leaf.ir_value() for _, leaf in self._leaves if _is_carried(leaf)]

    def values(self, arguments: Sequence[Any]) -> tuple[Any, ...]:
        """The variables with their carried parts replaced by `arguments`."""
        remaining = iter(arguments)
        leaves = iter([_with(leaf, next(remaining)) if _is_carried(leaf) else leaf for _, leaf in self._leaves])
        parts = [[next(leaves) for _ in range(count)] for count in self._counts]
        return tuple(build(part) for build, part in zip(self._builds, parts, strict=True))

    def results(self, results: Sequence[Any]) -> tuple[Any, ...]:
        """The variables after the loop; one that had no value before it has none after it."""
        return self.values(results)

    def settles(self, outcome: Sequence[Any]) -> bool:
        """Whether a turn ends with the types it began with; otherwise `widen` and trace again."""
        self._wider = {}
        for index, ((name, leaf), new) in enumerate(zip(self._leaves, self._flatten(outcome), strict=True)):
            if isinstance(leaf, Undefined):
                continue
            before, after = _join_leaf(name, leaf, new)
            if after is None and before is not leaf and not _is_carried(leaf):
                raise FrontendError(f"variable {name!r} is undefined at the end of a turn of the loop")
            if isinstance(before, _Pending):
                self._wider[index] = before.dtype
            elif after is not None and not _is_carried(leaf):
                raise FrontendError(
                    f"variable {name!r} changes in a loop but its value before the loop is static; make it dynamic"
                )
        return not self._wider

    def yields(self, outcome: Sequence[Any]) -> list[Any]:
        """The SSA values at the end of a turn."""
        values = []
        for (_, leaf), new in zip(self._leaves, self._flatten(outcome), strict=True):
            if isinstance(leaf, Numeric | Vector):
                scalar = as_numeric(new) if isinstance(new, bool | int | float) else new
                values.append(scalar.to(leaf.dtype).ir_value())
            elif _is_carried(leaf):
                values.append(new.ir_value())
        return values

    def widen(self) -> None:
        """Convert, before the loop, what has to be wider."""
        for index, dtype in self._wider.items():
            name, leaf = self._leaves[index]
            self._leaves[index] = (name, leaf.to(dtype))

    def _flatten(self, outcome: Sequence[Any]) -> list[Any]:
        leaves: list[Any] = []
        for name, value, count in zip(self._names, outcome, self._counts, strict=True):
            parts, _ = flatten(value)
            if len(parts) != count:
                raise FrontendError(
                    f"variable {name!r} has {count} parts before a turn of the loop and {len(parts)} after it"
                )
            leaves += parts
        return leaves


def _is_carried(leaf: Any) -> bool:
    return isinstance(leaf, Numeric | Vector) or (isinstance(leaf, StructuredValue) and not leaf.is_static)


def _with(leaf: Any, value: Any) -> Any:
    return leaf.__construct_from_ir_values__([value])


def _join_leaf(name: str, a: Any, b: Any) -> tuple[Any, Any]:
    """(a, b) of one type, or (value, None) when both paths agree."""
    if isinstance(a, Undefined) or isinstance(b, Undefined):
        return Undefined(name), None
    if a is b or _same_static(a, b):
        return a, None
    if _is_number(a) and _is_number(b):
        return _join_numbers(name, a, b)
    if isinstance(a, StructuredValue) and type(a) is type(b) and a.ir_type == b.ir_type and not a.is_static:
        return a, b
    raise FrontendError(
        f"variable {name!r} is {_describe(a)} on one path and {_describe(b)} on the other; "
        "a dynamic branch or loop can only carry values of one type"
    )


def _join_numbers(name: str, a: Any, b: Any) -> tuple[Any, Any]:
    x = a if isinstance(a, Arithmetic) else as_numeric(a)
    y = b if isinstance(b, Arithmetic) else as_numeric(b)
    if x.shape != y.shape:
        raise FrontendError(
            f"variable {name!r} has shape {x.shape} on one path and {y.shape} on the other; make them equal"
        )
    dtype = x.dtype if x.dtype is y.dtype else arithmetic_type(x.dtype, y.dtype)
    return tuple(value if value.dtype is dtype else _Pending(value, dtype) for value in (x, y))  # type: ignore[return-value]


def _is_number(value: Any) -> bool:
    return isinstance(value, Numeric | Vector | bool | int | float)


def _same_static(a: Any, b: Any) -> bool:
    if isinstance(a, Numeric) and isinstance(b, Numeric):
        return type(a) is type(b) and a.is_static and b.is_static and a.value == b.value
    if isinstance(a, StructuredValue) and isinstance(b, StructuredValue):
        return a.is_static and b.is_static and a.payload == b.payload
    if isinstance(a, Arithmetic | StructuredValue) or isinstance(b, Arithmetic | StructuredValue):
        return False
    return type(a) is type(b) and bool(a == b)


def _describe(value: Any) -> str:
    if isinstance(value, StructuredValue):
        return f"{type(value).__name__} of type {value.ir_type}"
    return repr(value) if isinstance(value, Arithmetic) else f"a Python {type(value).__name__} ({value!r})"
