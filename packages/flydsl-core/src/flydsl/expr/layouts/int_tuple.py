"""Int tuples: shapes, strides and coordinates of static and dynamic integers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from flydsl import layout as algebra
from flydsl.base.errors import FrontendError, ModeError
from flydsl.expr.layouts.value import StructuredValue
from flydsl.expr.numbers.arithmetic import Arithmetic
from flydsl.expr.numeric import Int32, Int64, Numeric, Uint32, as_numeric
from flydsl.expr.tracing.context import current

if TYPE_CHECKING:
    from xdsl.ir import SSAValue

    from flydsl.expr.numbers.operator_types import ScalarArithmetic
    from flydsl.expr.values.operand_types import CoordLike, IntTupleLike, ShapeLike, StrideLike
    from flydsl.expr.values.traced_types import Leaf
else:
    ScalarArithmetic = Arithmetic  # the operators, with static types

__all__ = [
    "Basis",
    "E",
    "IntTuple",
    "as_int_tuple",
    "get_leaves",
    "get_scalar",
    "make_coord",
    "make_int_tuple",
    "make_shape",
    "make_stride",
]


class IntTuple(StructuredValue, ScalarArithmetic):
    """A nested tuple of integers; leaves are static ints, dynamic Int32 or Int64, None (`*`) or basis elements.

    A leaf is a scalar in arithmetic.
    """

    __slots__ = ()

    @property
    def is_leaf(self) -> bool:
        """Whether this is a single element, not a tuple."""
        return not isinstance(self.payload, tuple)

    @property
    def rank(self) -> int:
        """Number of modes; a leaf has one."""
        return algebra.rank(self.payload)

    @property
    def depth(self) -> int:
        """Nesting depth; a leaf has none."""
        return algebra.depth(self.payload)

    @property
    def get_static_leaf_int(self) -> int:
        """The int of a static leaf."""
        return self.__index__()

    def to_py_value(self) -> Any:
        """The leaves in nested Python tuples, a leaf alone as it is: ints, Int32 or Int64, Basis, and None for `*`."""
        if not self.is_leaf:
            return tuple(mode.to_py_value() for mode in self)
        if isinstance(self.payload, algebra.Basis) and isinstance(self.payload.value, int):
            return Basis(self.payload.value, self.payload.path)
        return None if self.payload is algebra.STAR else get_scalar(self)

    unpack = to_py_value

    def __getitem__(self, mode: int) -> IntTuple:
        index = mode.__index__()
        if not -self.rank <= index < self.rank:
            raise ModeError("get", (self.payload, index), f"the mode must be one of the {self.rank} modes")
        return self._get(index)

    def __len__(self) -> int:
        return self.rank

    def __iter__(self) -> Iterator[IntTuple]:
        return iter([self[index] for index in range(self.rank)])

    def __index__(self) -> int:
        if not isinstance(self.payload, int):
            raise FrontendError(f"a Python int needs a static leaf, found {self!r}")
        return self.payload

    def __bool__(self) -> bool:
        return bool(self.__index__())

    def __fly_scalar__(self) -> Numeric:
        return as_numeric(get_scalar(self))

    def __eq__(self, other: object) -> Any:
        if isinstance(other, IntTuple) and not (self.is_leaf and other.is_leaf):
            return self.is_static and other.is_static and self.payload == other.payload
        return Arithmetic.__eq__(self, other)

    def __ne__(self, other: object) -> Any:
        if isinstance(other, IntTuple) and not (self.is_leaf and other.is_leaf):
            return not self == other
        return Arithmetic.__ne__(self, other)

    def __hash__(self) -> int:
        if not self.is_static:
            raise FrontendError(
                f"a key of a dict or set needs a value known while tracing, found {self!r}; choose with if and elif"
            )
        return hash(self.payload)


class Basis:
    """`Basis(value, modes)`: a stride of `value` along the mode at the path `modes` of a coordinate."""

    __slots__ = ("modes", "value")

    def __init__(self, value: int | Numeric | IntTuple, modes: int | tuple[int, ...] | list[int]) -> None:
        self.value = value
        self.modes = tuple(modes) if isinstance(modes, tuple | list) else (modes,)

    @property
    def payload(self) -> algebra.Basis:
        """The basis element of the algebra; its value must be known while tracing."""
        return algebra.Basis(self.value.__index__(), self.modes)

    def __mul__(self, factor: int | Numeric | IntTuple) -> Basis:
        return Basis(self.value * factor, self.modes)

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Basis) and self.modes == other.modes and bool(self.value == other.value)

    def __hash__(self) -> int:
        return hash((self.value, self.modes))

    def __repr__(self) -> str:
        return f"{self.value}{''.join(f'E{mode}' for mode in self.modes)}"


def E(*mode: int) -> Basis:  # noqa: N802 - the field's name of a basis element
    """The unit stride along the mode at the path `mode`: `E(0)`, `E(1, 2)`."""
    return Basis(1, mode)


def make_int_tuple(elems: IntTupleLike) -> IntTuple:
    """An int tuple of Python ints, integer scalars, None (`*`), basis elements and nested tuples of these."""
    if isinstance(elems, IntTuple):
        return elems
    operands: list[Any] = []
    payload = _payload(elems, operands)
    if not operands:
        return IntTuple(payload)
    emitter = current()
    return IntTuple(payload, emitter.value("fly.make_int_tuple", operands, emitter.fly_type(payload)))


def make_shape(*shape: ShapeLike) -> IntTuple:
    """The arguments, extents in elements, as an int tuple."""
    return make_int_tuple(_arguments(shape))


def make_stride(*stride: StrideLike) -> IntTuple:
    """The arguments, strides in elements, as an int tuple."""
    return make_int_tuple(_arguments(stride))


def make_coord(*coord: CoordLike) -> IntTuple:
    """The arguments, indices, as an int tuple; None keeps a mode."""
    return make_int_tuple(_arguments(coord))


def as_int_tuple(value: IntTupleLike) -> IntTuple:
    """`value`, in any accepted form, as an int tuple."""
    return value if isinstance(value, IntTuple) else make_int_tuple(value)


def get_scalar(int_tuple: IntTupleLike) -> Leaf:
    """A leaf as a Python int if it is static, else as Int32 or Int64. Raises FrontendError for a tuple."""
    value = as_int_tuple(int_tuple)
    if not value.is_leaf:
        raise FrontendError(f"get_scalar needs a leaf, found {value!r}; take one mode first")
    if value.is_static:
        return value.payload  # type: ignore[no-any-return]
    dtype = Int64 if value.payload.width == 64 else Int32
    return dtype.wrap(current().value("fly.get_scalar", [value.ir_value()], current().type(dtype)))  # type: ignore[return-value]


def get_leaves(input: IntTupleLike, dynamic_only: bool = False) -> list[Leaf]:
    """All leaves, depth first, as `get_scalar` returns them; only the dynamic ones with `dynamic_only`."""
    value = as_int_tuple(input)
    if value.is_leaf:
        return [] if dynamic_only and value.is_static else [get_scalar(value)]
    return [leaf for mode in value for leaf in get_leaves(mode, dynamic_only)]


def _arguments(values: tuple[IntTupleLike, ...]) -> IntTupleLike:
    return values[0] if len(values) == 1 else values


def _payload(elem: IntTupleLike, operands: list[SSAValue]) -> Any:
    """The algebra object of one element; appends the SSA values of its dynamic leaves in order."""
    if elem is None:
        return algebra.STAR
    if isinstance(elem, bool):
        raise FrontendError("a bool cannot be an element of an int tuple; use 0 or 1")
    if isinstance(elem, slice):
        raise FrontendError(
            "a slice is not a coordinate: None keeps a whole mode, as in x[None, 3]; fx.zipped_divide tiles one"
        )
    if isinstance(elem, tuple | list):
        return tuple(_payload(item, operands) for item in elem)
    if isinstance(elem, IntTuple):
        if elem.is_static:
            return elem.payload
        return (
            _payload(get_scalar(elem), operands) if elem.is_leaf else tuple(_payload(mode, operands) for mode in elem)
        )
    if isinstance(elem, Numeric):
        return _scalar_leaf(elem, operands)
    if isinstance(elem, Basis):
        return _basis(elem, operands)
    if isinstance(elem, int | algebra.Basis) or elem is algebra.STAR:  # type: ignore[comparison-overlap]
        return elem
    if hasattr(elem, "__index__"):
        return elem.__index__()
    raise FrontendError(f"an int tuple takes ints, Int32, Int64, None and tuples of them, found {elem!r}")


def _basis(elem: Basis, operands: list[SSAValue]) -> algebra.Basis:
    value = as_numeric(elem.value)
    if value.is_float:
        raise FrontendError(f"a basis element counts in integers, found {elem!r}")
    return algebra.Basis(_scalar_leaf(value, operands), elem.modes)


def _scalar_leaf(scalar: Numeric, operands: list[SSAValue]) -> Any:
    if scalar.is_float:
        raise FrontendError(
            f"an int tuple takes integers, found {type(scalar).__name__}; convert it with fx.Int32(...)"
        )
    if scalar.is_static:
        return int(scalar.value)
    if scalar.width > 64:
        raise FrontendError(
            f"an int tuple counts with 64 bits, found {type(scalar).__name__}; convert it with fx.Int64(...)"
        )
    # leaves are signed: a Uint32 takes 64 bits, as no index or extent is a Uint64 that those cannot hold
    wide = Int64 if scalar.width > 32 or scalar.dtype is Uint32 else Int32
    operands.append(wide(scalar).ir_value())
    return algebra.Dyn(wide.width)
