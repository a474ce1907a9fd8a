"""Loop-carried variables, from their values before and after one iteration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flydsl.expr.layouts.value import StructuredValue
from flydsl.expr.numbers.vector import Vector
from flydsl.expr.numeric import Numeric, as_numeric
from flydsl.frontend.control.join import Pending, Zeros, join_leaf, stand_in
from flydsl.frontend.control.pytree import flatten, structure
from flydsl.frontend.control.raw_values import RawValue, is_same_leaf
from flydsl.frontend.control.undefined import Absent, Undefined, undefined


class LoopVariables:
    """The variables that a loop body assigns: which of their leaves are carried, and with what types.

    The body is traced until the types settle: a number may have to be wider, and an unchanged leaf is not carried.
    """

    def __init__(self, names: Sequence[str], values: Sequence[Any]) -> None:
        self._names, self._before = list(names), list(values)
        self._begin()

    def _begin(self) -> None:
        names, values = self._names, self._before
        trees = [flatten(value) for value in values]
        self._builds = [build for _, build in trees]
        self._counts = [len(leaves) for leaves, _ in trees]
        self._labels = [name for name, (leaves, _) in zip(names, trees, strict=True) for _ in leaves]
        self._original = [leaf for leaves, _ in trees for leaf in leaves]
        self._leaves = [as_numeric(leaf) if _is_python_number(leaf) else leaf for leaf in self._original]
        self._entered: list[Any] = []

    def inits(self) -> list[Any]:
        """The SSA values before the first iteration, emitted here."""
        self._leaves = [leaf.materialized() if isinstance(leaf, Zeros | Pending) else leaf for leaf in self._leaves]
        return [leaf.ir_value() for leaf in self._leaves if _is_carried(leaf)]

    def values(self, arguments: Sequence[Any]) -> tuple[Any, ...]:
        """The variables with their carried leaves replaced by `arguments`."""
        remaining = iter(arguments)
        self._entered = [_with(leaf, next(remaining)) if _is_carried(leaf) else leaf for leaf in self._leaves]
        leaves = iter([leaf.value if isinstance(leaf, _Fixed) else leaf for leaf in self._entered])
        parts = [[next(leaves) for _ in range(count)] for count in self._counts]
        return tuple(build(part) for build, part in zip(self._builds, parts, strict=True))

    def settles(self, outcome: Sequence[Any]) -> bool:
        """Whether an iteration ends with the types it began with; if not, the types are updated: trace it again."""
        if self._adopts(outcome) or self._loses(outcome):
            return False
        settled = True
        for index, new in enumerate(self._flatten(outcome)):
            leaf = self._leaves[index]
            if isinstance(leaf, Undefined | _Fixed):
                continue
            if _is_carried(leaf) and is_same_leaf(new, self._entered[index]):
                self._leaves[index] = _Fixed(self._original[index])
                settled = False
                continue
            settled = self._agree(index, leaf, new) and settled
        return settled

    def _adopts(self, outcome: Sequence[Any]) -> bool:
        """Whether a variable gets its first value in the iteration: it is zero before the loop."""
        pairs = list(zip(self._before, outcome, strict=True))
        if not any(isinstance(old, Absent) and not isinstance(new, Absent) for old, new in pairs):
            return False
        self._before = [stand_in(new) if isinstance(old, Absent) else old for old, new in pairs]
        self._begin()
        return True

    def _loses(self, outcome: Sequence[Any]) -> bool:
        """Whether an iteration changes the structure of a variable, which is then undefined in the next one."""
        lost = False
        for index, (name, before, after) in enumerate(zip(self._names, self._before, outcome, strict=True)):
            if isinstance(before, Undefined) or structure(before) == structure(after):
                continue
            counts = len(flatten(before)[0]), len(flatten(after)[0])
            self._before[index] = undefined(
                name,
                f"has {counts[0]} parts before an iteration of the loop and {counts[1]} after it, "
                "or is nested differently; a dynamic loop keeps the structure of its variables",
            )
            lost = True
        if lost:
            self._begin()
        return lost

    def yields(self, outcome: Sequence[Any]) -> list[Any]:
        """The SSA values at the end of an iteration."""
        values = []
        for leaf, new in zip(self._leaves, self._flatten(outcome), strict=True):
            if isinstance(leaf, Numeric | Vector):
                scalar = new if isinstance(new, Numeric | Vector | Zeros) else as_numeric(new)
                values.append(scalar.to(leaf.dtype).ir_value())
            elif _is_carried(leaf):
                values.append(new.ir_value())
        return values

    def _agree(self, index: int, leaf: Any, new: Any) -> bool:
        name = self._labels[index]
        before, after = join_leaf(name, leaf, new, ("before an iteration of the loop", "after it"))
        if isinstance(before, Pending | Undefined):
            self._leaves[index] = before  # `inits` emits the pending conversion before the loop
            return False
        if isinstance(before, Numeric) and not isinstance(leaf, Numeric):  # a static leaf of an int tuple
            self._leaves[index] = before
            return False
        if after is not None and not _is_carried(leaf):
            why = "changes in a loop but its value before the loop is static; make it dynamic"
            self._leaves[index] = undefined(name, why)
            return False
        return True

    def _flatten(self, outcome: Sequence[Any]) -> list[Any]:
        leaves: list[Any] = []
        for before, value in zip(self._before, outcome, strict=True):
            leaves += flatten(value)[0] if not isinstance(before, Undefined) else [before]
        return leaves


class _Fixed:
    """A leaf that no iteration changes."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def _is_python_number(leaf: Any) -> bool:
    return isinstance(leaf, bool | int | float)


def _is_carried(leaf: Any) -> bool:
    return isinstance(leaf, Numeric | Vector | RawValue) or (isinstance(leaf, StructuredValue) and not leaf.is_static)


def _with(leaf: Any, value: Any) -> Any:
    return leaf.__construct_from_ir_values__([value])
