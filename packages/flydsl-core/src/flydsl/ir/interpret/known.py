"""Dynamic leaves of layouts that carry their number: the algebra takes the same path as it did for the types.

On plain integers it would take another one where an extent happens to be 1 or to divide another; the code that a
backend makes cannot know that. Arithmetic is that of the emitted operations: division is total. Where they wrap, a
promise is broken (see `flydsl.layout.width`), and that is an error here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from flydsl.base.arithmetic import truncated_quotient, truncated_remainder
from flydsl.base.errors import OutOfBoundsError
from flydsl.ir.interpret.numbers import wrapper
from flydsl.ir.interpret.poison import defined
from flydsl.layout import Basis, Dyn

if TYPE_CHECKING:
    from typing import Self

_MOST = 1 << 16


class ConcreteLeaf(Dyn):
    """A leaf of a width and divisor, and its number; equal ones are one object, so that answers can be remembered."""

    __slots__ = ("number",)
    number: int

    def __new__(cls, width: int, div: int, number: int) -> Self:
        self = super().__new__(cls, width, div)
        object.__setattr__(self, "number", number)
        return self

    def make(self, op: str, a: Any, b: Any, width: int, div: int) -> Dyn:
        exact = _OPERATIONS[op](int(a), b if op == "swizzle" else int(b))
        if wrapper(width)(exact) != exact:
            raise OutOfBoundsError(
                f"computes {exact} for a layout whose leaves have {width} bits, which promise that it does not occur; "
                "give the layout Int64 extents or strides"
            )
        return known(exact, width, div)

    def __index__(self) -> int:
        return self.number

    def __int__(self) -> int:
        return self.number

    def __repr__(self) -> str:
        return str(self.number)

    def __reduce__(self) -> tuple[Any, tuple[int, int, int]]:  # type: ignore[override]
        return known, (self.number, self.width, self.div)


_INTERNED: dict[tuple[int, int, int], ConcreteLeaf] = {}


def known(value: int, width: int = 32, div: int = 1) -> ConcreteLeaf:
    """The leaf of a number."""
    key = value, width, div
    found = _INTERNED.get(key)
    if found is None:
        if len(_INTERNED) >= _MOST:
            _INTERNED.clear()
        found = _INTERNED[key] = ConcreteLeaf(width, div, int(value))
    return found


def maker(leaf: Dyn) -> Callable[[Any], ConcreteLeaf]:
    """What makes leaves like one of a type from numbers."""
    width, div = leaf.width, leaf.div

    def make(value: Any) -> ConcreteLeaf:
        if value.__class__ is not int:
            value = int(defined(value, "a coordinate or a size is decided"))
        return known(value, width, div)

    return make


def number(leaf: Any) -> Any:
    """The number of a leaf; a basis leaf counts as its value."""
    if isinstance(leaf, Basis):
        leaf = leaf.value
    return leaf.number if isinstance(leaf, ConcreteLeaf) else leaf


_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: truncated_quotient(a, b) if b else -1,
    "mod": lambda a, b: truncated_remainder(a, b) if b else a,
    "ceil_div": lambda a, b: -(-a // b) if b else -1,
    "min": min,
    "max": max,
    "xor": lambda a, b: a ^ b,
    "and": lambda a, b: a & b,
    "less": lambda a, b: a < b,
    "equal": lambda a, b: a == b,
    "swizzle": lambda a, spec: spec(a),
    "extend": lambda a, _: a,
}
