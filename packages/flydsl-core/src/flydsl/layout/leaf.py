"""Leaves of int tuples: integers, dynamic values, basis strides and `*`, with their arithmetic.

Every operation folds integers at once. When an operand is dynamic, the width and the divisibility of the result are
computed here and `Dyn.make` is asked for the result, so that one algebra serves type inference (plain `Dyn`) and
code emission (a subclass whose `make` emits an operation). Division truncates toward zero, like the emitted code.
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING, Protocol, TypeAlias

from flydsl.base.arithmetic import truncated_quotient, truncated_remainder
from flydsl.base.errors import LayoutError

if TYPE_CHECKING:
    from typing import Self

MAX_MODES = 1024
"""Of a tuple that coordinates along basis leaves make: as many zeros would stand before the last one."""

MAX_DEPTH = 64
"""Levels of tuples, tiles, composed layouts and basis paths, as deep as the algebra goes by recursion."""


def is_in_range(value: int) -> bool:
    """The integer fits into 64 bits, as the leaves of layouts do."""
    return -(1 << 63) <= value < 1 << 63


class Star:
    """The leaf `*`: keep this mode (slice), leave this mode alone (tile)."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "*"

    def __reduce__(self) -> str:
        return "STAR"


STAR = Star()


class Dyn:
    """A leaf known at run time only: bit width and a divisor every value has; plain ones are interned.

    A subclass carries a value, overrides `make`, and is compared and hashed by identity.
    """

    __slots__ = ("div", "width")
    width: int
    div: int

    def __new__(cls, width: int = 32, div: int = 1) -> Self:
        if cls is Dyn and type(width) is int and type(div) is int:
            interned = _INTERNED.get((width, div))
            if interned is not None:
                return interned  # type: ignore[return-value]
        if type(width) is not int or width not in (1, 32, 64):
            raise LayoutError("dyn", (width, div), "the width must be 32 or 64 (1 for a predicate)")
        if type(div) is not int or div < 1:
            raise LayoutError("dyn", (width, div), "the divisibility must be a positive integer")
        self = object.__new__(cls)
        object.__setattr__(self, "width", width)
        object.__setattr__(self, "div", div)
        return _INTERNED.setdefault((width, div), self) if cls is Dyn else self  # type: ignore[return-value]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable, cannot set {name!r}")

    def make(self, op: str, a: object, b: object, width: int, div: int) -> Dyn:
        """The result of `op` on `a` and `b` (one of them is self, the other any leaf; a `Swizzle` for `swizzle`).

        `op` is one of add, sub, mul, div, mod, ceil_div, min, max, xor, swizzle, extend (of `a` alone, to 64 bits), and
        of width 1: less, equal, and.
        """
        return Dyn(width, div)

    def __repr__(self) -> str:
        notes = [f"i{self.width}"] * (self.width != 32) + [f"div={self.div}"] * (self.div != 1)
        return f"?{{{' '.join(notes)}}}" if notes else "?"

    def __reduce__(self) -> tuple[type[Dyn], tuple[int, int]]:
        return Dyn, (self.width, self.div)


_INTERNED: dict[tuple[int, int], Dyn] = {}


class Basis:
    """A stride that counts along one mode of a coordinate: `value` times the unit vector of `path` (`4E1`, `2E0E1`)."""

    __slots__ = ("path", "value")
    value: int | Dyn
    path: tuple[int, ...]

    def __new__(cls, value: int | Dyn, path: tuple[int, ...]) -> Self:
        if type(value) is not int and not isinstance(value, Dyn):
            raise LayoutError("basis", (value, path), "the value must be an integer or dynamic")
        if type(value) is int and not is_in_range(value):
            raise LayoutError("basis", (value, path), "the value must fit into 64 bits")
        if type(path) is not tuple or not path or not all(type(m) is int and 0 <= m < MAX_MODES for m in path):
            raise LayoutError("basis", (value, path), f"the path must be mode numbers below {MAX_MODES}, at least one")
        if len(path) > MAX_DEPTH:
            raise LayoutError("basis", (value, path), f"the path goes down {len(path)} levels; {MAX_DEPTH} are allowed")
        self = object.__new__(cls)
        object.__setattr__(self, "value", value)
        object.__setattr__(self, "path", path)
        return self

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Basis is immutable, cannot set {name!r}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Basis) and self.value == other.value and self.path == other.path

    def __hash__(self) -> int:
        return hash((self.value, self.path, "E"))

    def __repr__(self) -> str:
        return str(self.value) + "".join(f"E{mode}" for mode in self.path)

    def __reduce__(self) -> tuple[type[Basis], tuple[int | Dyn, tuple[int, ...]]]:
        return Basis, (self.value, self.path)


Leaf: TypeAlias = int | Dyn | Basis | Star
Predicate: TypeAlias = bool | Dyn


class _SwizzleSpec(Protocol):
    @property
    def mask(self) -> int: ...
    @property
    def base(self) -> int: ...
    @property
    def shift(self) -> int: ...


def add(a: Leaf, b: Leaf) -> Leaf:
    """a + b; basis leaves add only along the same path (elsewhere they make a tuple: see `int_tuple.plus`)."""
    if type(a) is int and type(b) is int:
        return a + b
    if type(a) is int and a == 0:
        return b
    if type(b) is int and b == 0:
        return a
    if isinstance(a, Basis) and isinstance(b, Basis) and a.path == b.path:
        return _scaled(add(a.value, b.value), a.path)
    return _emit("add", a, b, gcd(_div(a), _div(b)))


def sub(a: Leaf, b: Leaf) -> Leaf:
    """a - b."""
    if type(a) is int and type(b) is int:
        return a - b
    if type(b) is int and b == 0:
        return a
    return _emit("sub", a, b, gcd(_div(a), _div(b)))


def mul(a: Leaf, b: Leaf) -> Leaf:
    """a * b; a basis leaf scales."""
    if type(a) is int and type(b) is int:
        return a * b
    if type(b) is int:
        a, b = b, a
    if type(a) is int and a in (0, 1) and isinstance(b, (Dyn, Basis)):
        return b if a else 0
    if isinstance(a, Basis):
        return _scaled(mul(a.value, b), a.path)
    if isinstance(b, Basis):
        return _scaled(mul(a, b.value), b.path)
    return _emit("mul", a, b, abs(_div(a) * _div(b)))


def div(a: Leaf, b: Leaf) -> Leaf:
    """a / b, truncated."""
    if type(b) is int:
        if b == 0:
            raise LayoutError("div", (a, b), "division by zero")
        if type(a) is int:
            return a // b if a >= 0 < b else truncated_quotient(a, b)
        if b == 1:
            return a
    if isinstance(a, Basis):
        return _scaled(div(a.value, b), a.path)
    return 0 if type(a) is int and a == 0 and isinstance(b, Dyn) else _emit("div", a, b, 1)


def mod(a: Leaf, b: Leaf) -> Leaf:
    """a - b * (a / b)."""
    if type(b) is int:
        if b == 0:
            raise LayoutError("mod", (a, b), "division by zero")
        if type(a) is int:
            return a % b if a >= 0 < b else truncated_remainder(a, b)
        if b == 1 and isinstance(a, Dyn):
            return 0
    return 0 if type(a) is int and a == 0 and isinstance(b, Dyn) else _emit("mod", a, b, gcd(_div(a), _div(b)))


def ceil_div(a: Leaf, b: Leaf) -> Leaf:
    """a / b, rounded up."""
    if type(b) is int:
        if b == 0:
            raise LayoutError("ceil_div", (a, b), "division by zero")
        if type(a) is int:
            return -(-a // b)
        if b == 1:
            return a
    if isinstance(a, Basis):
        return _scaled(ceil_div(a.value, b), a.path)
    return a if type(a) is int and a in (0, 1) and isinstance(b, Dyn) else _emit("ceil_div", a, b, 1)


def exact_div(a: Leaf, b: int) -> Leaf:
    """a / b where b is known to divide a: the quotient keeps the rest of the divisibility."""
    if isinstance(a, Basis):
        return _scaled(exact_div(a.value, b), a.path)
    if isinstance(a, Dyn) and b not in (0, 1) and a.div % b == 0:
        return a.make("div", a, b, a.width, a.div // b)
    return div(a, b)


def minimum(a: Leaf, b: Leaf) -> Leaf:
    """The smaller of two."""
    if type(a) is int and type(b) is int:
        return a if a <= b else b
    return _emit("min", a, b, gcd(_div(a), _div(b)))


def maximum(a: Leaf, b: Leaf) -> Leaf:
    """The larger of two."""
    if type(a) is int and type(b) is int:
        return a if a >= b else b
    return _emit("max", a, b, gcd(_div(a), _div(b)))


def xor(a: Leaf, b: Leaf) -> Leaf:
    """Bitwise exclusive or."""
    if type(a) is int and type(b) is int:
        return a ^ b
    if type(b) is int:
        a, b = b, a
    if type(a) is int and a == 0:
        return b
    common = gcd(_div(a), _div(b))
    return _emit("xor", a, b, common & -common)


def swizzle(value: Leaf, spec: _SwizzleSpec) -> Leaf:
    """value ^ ((value & source bits) >> shift), the source bits being `mask` bits from `base + shift` up."""
    if type(value) is int:
        return value ^ ((value & (((1 << spec.mask) - 1) << (spec.base + spec.shift))) >> spec.shift)
    if not isinstance(value, Dyn):
        raise LayoutError("swizzle", (value, spec), "a swizzle takes a linear index")
    if not spec.mask:
        return value
    return value.make("swizzle", value, spec, value.width, gcd(value.div, 1 << spec.base))


def widened(value: Leaf) -> Leaf:
    """The same number for arithmetic in 64 bits (see `flydsl.layout.width`)."""
    if isinstance(value, Dyn) and value.width == 32:
        return value.make("extend", value, 0, 64, value.div)
    return value


def less(a: Leaf, b: Leaf) -> Predicate:
    """a < b."""
    if type(a) is int and type(b) is int:
        return a < b
    return _emit("less", a, b, 1, width=1)


def equal(a: Leaf, b: Leaf) -> Predicate:
    """a == b; basis leaves are equal along the same path only, `*` equals `*`."""
    if type(a) is int and type(b) is int:
        return a == b
    if isinstance(a, Basis) and isinstance(b, Basis):
        return equal(a.value, b.value) if a.path == b.path else False
    if isinstance(a, (Basis, Star)) or isinstance(b, (Basis, Star)):
        return a is b
    return _emit("equal", a, b, 1, width=1)


def logical_and(a: Predicate, b: Predicate) -> Predicate:
    """Both hold; a static side folds."""
    if isinstance(a, bool):
        return b if a else False
    if isinstance(b, bool):
        return a if b else False
    return _owner(a, b).make("and", a, b, 1, 1)


def _scaled(value: Leaf, path: tuple[int, ...]) -> Leaf:
    if isinstance(value, (Basis, Star)):
        raise LayoutError("mul", (value, path), "a basis stride is scaled by an integer")
    return 0 if type(value) is int and value == 0 else Basis(value, path)


def _div(leaf: Leaf) -> int:
    if isinstance(leaf, Dyn):
        return leaf.div
    return abs(leaf) if type(leaf) is int else 1


def _width(leaf: Leaf) -> int:
    if isinstance(leaf, Dyn):
        return leaf.width
    return 32 if type(leaf) is int and -(1 << 31) <= leaf < 1 << 31 else 64


def _owner(a: Leaf, b: Leaf) -> Dyn:
    """The dynamic operand to ask: one that carries a value before a plain one."""
    if isinstance(a, Dyn) and (type(a) is not Dyn or not isinstance(b, Dyn)):
        return a
    assert isinstance(b, Dyn)
    return b


def _emit(op: str, a: Leaf, b: Leaf, div: int, width: int = 0) -> Dyn:
    for leaf, other in ((a, b), (b, a)):
        if type(leaf) is not int and not isinstance(leaf, Dyn):
            raise LayoutError(op, (a, b), f"the operands must be integers, found {leaf!r} with {other!r}")
    if type(b) is int and b == 0 and op in ("div", "mod", "ceil_div"):
        raise LayoutError(op, (a, b), "division by zero")
    return _owner(a, b).make(op, a, b, width or max(_width(a), _width(b)), div)
