"""Copy and MMA atoms: the smallest unit of data movement and of matrix multiplication."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar, overload, runtime_checkable

from flydsl import layout as algebra
from flydsl.base.errors import FrontendError
from flydsl.expr.layouts.layout import Layout
from flydsl.expr.layouts.value import StructuredValue
from flydsl.expr.numbers.vector import Vector
from flydsl.expr.numeric import Numeric, as_numeric
from flydsl.expr.tracing.context import current

if TYPE_CHECKING:
    from xdsl.ir import Attribute, SSAValue

    from flydsl.expr.values.operand_types import VectorLike

__all__ = [
    "AtomOp",
    "CopyAtom",
    "MmaAtom",
    "UniversalCopy",
    "UniversalCopy8b",
    "UniversalCopy16b",
    "UniversalCopy32b",
    "UniversalCopy64b",
    "UniversalCopy128b",
    "UniversalFMA",
    "atom_set_value",
    "make_copy_atom",
    "make_mma_atom",
]


A = TypeVar("A", bound="Atom")


@runtime_checkable
class AtomOp(Protocol):
    """A copy or MMA operation; target plugins define their own."""

    def ir_type(self) -> Attribute:
        """The operation's type in the dialect."""
        ...


class UniversalCopyOp:
    """The result of `UniversalCopy`, which does not load the dialect."""

    __slots__ = ("bit_size",)

    def __init__(self, bit_size: int) -> None:
        self.bit_size = bit_size

    def ir_type(self) -> Attribute:
        """`!fly.universal_copy<bits>`."""
        from flydsl.ir.fly.types import UniversalCopyType

        return UniversalCopyType(self.bit_size)

    def __repr__(self) -> str:
        return f"UniversalCopy({self.bit_size})"


class UniversalFMAOp:
    """The result of `UniversalFMA`."""

    __slots__ = ("ty",)

    def __init__(self, ty: type[Numeric]) -> None:
        self.ty = ty

    def ir_type(self) -> Attribute:
        """`!fly.universal_fma<1x1x1, (type, type) -> type>`."""
        from flydsl.ir.fly.types import UniversalFMAType

        return UniversalFMAType.get(self.ty)

    def __repr__(self) -> str:
        return f"UniversalFMA({getattr(self.ty, '__name__', self.ty)})"


def UniversalCopy(bit_size: int) -> UniversalCopyOp:  # noqa: N802 - the names of operations are capitalised
    """A copy of `bit_size` bits by one thread, on every target."""
    if bit_size not in (8, 16, 32, 64, 128):
        raise FrontendError(f"UniversalCopy moves 8, 16, 32, 64 or 128 bits, found {bit_size!r}")
    return UniversalCopyOp(bit_size)


def UniversalCopy8b() -> UniversalCopyOp:  # noqa: N802
    """A copy of 8 bits."""
    return UniversalCopy(8)


def UniversalCopy16b() -> UniversalCopyOp:  # noqa: N802
    """A copy of 16 bits."""
    return UniversalCopy(16)


def UniversalCopy32b() -> UniversalCopyOp:  # noqa: N802
    """A copy of 32 bits."""
    return UniversalCopy(32)


def UniversalCopy64b() -> UniversalCopyOp:  # noqa: N802
    """A copy of 64 bits."""
    return UniversalCopy(64)


def UniversalCopy128b() -> UniversalCopyOp:  # noqa: N802
    """A copy of 128 bits."""
    return UniversalCopy(128)


def UniversalFMA(ty: type[Numeric]) -> UniversalFMAOp:  # noqa: N802
    """A scalar multiply-add (1x1x1) of type `ty`, on every target."""
    return UniversalFMAOp(ty)


class Atom(StructuredValue):
    """Base of copy and MMA atoms; the state fields of an atom are in its SSA value."""

    __slots__ = ()
    _maker = ""

    def ir_value(self) -> SSAValue:
        """The SSA value of the atom."""
        if self._value is None:
            return current().make_atom(self.payload)
        return self._value  # type: ignore[no-any-return]

    @property
    def ir_type(self) -> Attribute:
        """The atom's type."""
        return self.payload  # type: ignore[no-any-return]

    def _tiled(self, name: str, parts: Sequence[Attribute | None], type_: Attribute) -> SSAValue | None:
        """The SSA value of a tiled copy or MMA of this atom by `parts`, which has its state; None while that is new."""
        if self._value is None:
            return None
        emitter = current()
        operands = [self._value, *[emitter.static(part) for part in parts if part is not None]]
        return emitter.value(name, operands, type_)

    def _part(self, name: str) -> SSAValue | None:
        """The SSA value of the atom of this tiled copy or MMA, by the operation `name`; None while its state is new."""
        return None if self._value is None else current().value(name, [self._value], self.payload.atom)

    @overload
    def set_value(self, field: str, value: VectorLike) -> Self: ...
    @overload
    def set_value(self, field: Mapping[str, VectorLike]) -> Self: ...
    def set_value(self, field: str | Mapping[str, VectorLike], value: VectorLike | None = None) -> Self:
        """A new atom with one state field replaced, or with all the fields of a mapping."""
        atom, fields = self, field if isinstance(field, Mapping) else {field: value}
        for name, item in fields.items():
            atom = atom_set_value(atom, name, item)  # type: ignore[arg-type]
        return atom

    @property
    def thr_layout(self) -> Layout:
        """The layout of the threads that execute one atom."""
        return Layout(self.payload.op.thr_layout)


class CopyAtom(Atom):
    """A copy operation on values of a fixed width in bits."""

    __slots__ = ()

    @property
    def thr_id(self) -> Layout:
        """The layout of the threads that execute one atom."""
        return self.thr_layout

    @property
    def val_bits(self) -> int:
        """Width of one value, in bits."""
        return self.payload.val_bits  # type: ignore[no-any-return]

    @property
    def layout_src_tv(self) -> Layout:
        """(thread, value) layout of the source, in values."""
        return self._in_values(self.payload.op.src_tv_bits)

    @property
    def layout_dst_tv(self) -> Layout:
        """(thread, value) layout of the destination, in values."""
        return self._in_values(self.payload.op.dst_tv_bits)

    @property
    def layout_ref_tv(self) -> Layout:
        """(thread, value) layout that tiled copies are specified in, in values."""
        return self._in_values(self.payload.op.ref_tv_bits)

    def _in_values(self, tv_bits: algebra.Layout) -> Layout:
        return Layout(algebra.recast_layout(tv_bits, 1, self.val_bits))


class MmaAtom(Atom):
    """A matrix multiply-add D = A * B + C."""

    __slots__ = ()

    @property
    def shape_mnk(self) -> tuple[int, int, int]:
        """Extents M, N, K."""
        return tuple(self.payload.op.shape_mnk)

    @property
    def layout_A_tv(self) -> Layout:  # noqa: N802 - the operand's name
        """(thread, value) layout of operand A over (M, K)."""
        return Layout(self.payload.op.tv_layouts[0])

    @property
    def layout_B_tv(self) -> Layout:  # noqa: N802
        """(thread, value) layout of operand B over (N, K)."""
        return Layout(self.payload.op.tv_layouts[1])

    @property
    def layout_C_tv(self) -> Layout:  # noqa: N802
        """(thread, value) layout of operands C and D over (M, N)."""
        return Layout(self.payload.op.tv_layouts[2])


def make_copy_atom(copy_op_type: AtomOp | Attribute, elem_type: type[Numeric] | int) -> CopyAtom:
    """A copy atom of the operation `copy_op_type` on values of `elem_type`, a numeric type or a number of bits."""
    from flydsl.ir.fly.types import CopyAtomType

    bits = elem_type if isinstance(elem_type, int) else max(8 if elem_type.width == 1 else 0, elem_type.width)
    return CopyAtom(CopyAtomType(_op_type("make_copy_atom", copy_op_type), bits))


def make_mma_atom(mma_op_type: AtomOp | Attribute) -> MmaAtom:
    """An MMA atom of the operation `mma_op_type`."""
    from flydsl.ir.fly.types import MmaAtomType

    return MmaAtom(MmaAtomType(_op_type("make_mma_atom", mma_op_type)))


def check_is_there(atom: Atom) -> None:
    """Raise what the atom's operation says of a target that lacks it: atoms are made for any, and used where one is."""
    op = getattr(atom.payload, "atom", atom.payload).op
    check = getattr(op, "check_target", None)
    if check is not None:
        check(current().target.arch)


def atom_set_value(atom: A, field: str, value: VectorLike) -> A:
    """A new atom with the state field `field` of `atom` set; a vector of the field's width gives its bits.

    Raises FrontendError if there is no such field, or if it is part of the instruction and `value` is not known yet.
    """
    op = getattr(atom.payload, "atom", atom.payload).op  # a tiled one has the state of its atom
    if field not in op.fields:
        raise FrontendError(f"{atom!r} has no state field {field!r}; it has {sorted(op.fields)}")
    number = value if isinstance(value, Vector) else as_numeric(value)
    if field in getattr(op, "constant_fields", ()) and (isinstance(number, Vector) or not number.is_static):
        raise FrontendError(
            f"{field} of {op} is part of the instruction: it must be known while compiling, found {number!r}"
        )
    operands = [atom.ir_value(), number.ir_value()]
    emitter = current()
    result = emitter.value("fly.atom.set_value", operands, atom.ir_type, attributes={"field": emitter.attribute(field)})
    return type(atom)(atom.payload, result)


def _op_type(function: str, op: AtomOp | Attribute) -> Any:
    """The dialect type of an operation, which may be one already (`fx.CopyOpUniversalCopyType.get(32)`)."""
    from flydsl.ir.fly.atoms import CopyOpType, MmaOpType

    if isinstance(op, CopyOpType | MmaOpType):
        return op
    if isinstance(op, type) or not isinstance(op, AtomOp):
        raise FrontendError(f"{function} needs an operation such as fx.UniversalCopy32b(), found {op!r}")
    return op.ir_type()
