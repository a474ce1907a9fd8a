"""Copy and MMA operations in, atoms out: the smallest unit of data movement and of matrix multiplication."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from flydsl import layout as algebra
from flydsl.base.errors import FrontendError
from flydsl.expr.context import current
from flydsl.expr.layout import Layout
from flydsl.expr.numeric import Numeric, as_numeric
from flydsl.expr.value import StructuredValue

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


@runtime_checkable
class AtomOp(Protocol):
    """A copy or MMA operation by name; target plugins bring their own."""

    def ir_type(self) -> Any:
        """The operation's type in the dialect."""
        ...


class UniversalCopy:
    """A copy of `bits` bits by one thread, on every target."""

    __slots__ = ("bits",)

    def __init__(self, bits: int) -> None:
        if bits not in (8, 16, 32, 64, 128):
            raise FrontendError(f"UniversalCopy moves 8, 16, 32, 64 or 128 bits, found {bits!r}")
        self.bits = bits

    def ir_type(self) -> Any:
        """`!fly.universal_copy<bits>`."""
        from flydsl.ir.fly.types import UniversalCopyType

        return UniversalCopyType(self.bits)


class UniversalCopy8b(UniversalCopy):
    """A copy of 8 bits."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(8)


class UniversalCopy16b(UniversalCopy):
    """A copy of 16 bits."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(16)


class UniversalCopy32b(UniversalCopy):
    """A copy of 32 bits."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(32)


class UniversalCopy64b(UniversalCopy):
    """A copy of 64 bits."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(64)


class UniversalCopy128b(UniversalCopy):
    """A copy of 128 bits."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(128)


class UniversalFMA:
    """A scalar multiply-add, 1x1x1, on every target."""

    __slots__ = ("ty",)

    def __init__(self, ty: type[Numeric]) -> None:
        self.ty = ty

    def ir_type(self) -> Any:
        """`!fly.universal_fma<1x1x1, (type, type) -> type>`."""
        from flydsl.ir.fly.types import UniversalFMAType

        return UniversalFMAType(self.ty.ir_type_of())


class Atom(StructuredValue):
    """What copy and MMA atoms share; a stateful atom carries its fields as an SSA value."""

    __slots__ = ()
    _maker = ""

    def ir_value(self) -> Any:
        """The SSA value of the atom."""
        if self._value is None:
            return current().make_atom(self.payload)
        return self._value

    @property
    def ir_type(self) -> Any:
        """The atom's type."""
        return self.payload

    def set_value(self, field: str, value: Any) -> Atom:
        """The atom with one state field replaced."""
        return atom_set_value(self, field, value)  # type: ignore[no-any-return]

    @property
    def thr_layout(self) -> Layout:
        """The threads that take part in one atom."""
        return Layout(self.payload.op.thr_layout)


class CopyAtom(Atom):
    """A copy operation on values of a given width."""

    __slots__ = ()

    @property
    def thr_id(self) -> Layout:
        """The threads that take part in one atom."""
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
        """(thread, value) layout that tiled copies are stated in, in values."""
        return self._in_values(self.payload.op.ref_tv_bits)

    def _in_values(self, tv_bits: Any) -> Layout:
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


def make_copy_atom(copy_op_type: AtomOp, elem_type: type[Numeric] | int) -> CopyAtom:
    """An atom that copies values of `elem_type` (or of that many bits) by `copy_op_type`."""
    from flydsl.ir.fly.types import CopyAtomType

    _check_op("make_copy_atom", copy_op_type)
    bits = elem_type if isinstance(elem_type, int) else elem_type.width
    return CopyAtom(CopyAtomType(copy_op_type.ir_type(), bits))


def make_mma_atom(mma_op_type: AtomOp) -> MmaAtom:
    """An atom that multiplies by `mma_op_type`."""
    from flydsl.ir.fly.types import MmaAtomType

    _check_op("make_mma_atom", mma_op_type)
    return MmaAtom(MmaAtomType(mma_op_type.ir_type()))


def atom_set_value(atom: Any, field: str, value: Any) -> Any:
    """`atom` with its state field replaced, as a new atom."""
    fields = getattr(atom.payload, "atom", atom.payload).op.fields  # a tiled one has the state of its atom
    if field not in fields:
        raise FrontendError(f"{atom!r} has no state field {field!r}; it has {sorted(fields)}")
    operands = [atom.ir_value(), as_numeric(value).ir_value()]
    emitter = current()
    result = emitter.value("fly.atom.set_value", operands, atom.ir_type, attributes={"field": emitter.attribute(field)})
    return type(atom)(atom.payload, result)


def _check_op(function: str, op: Any) -> None:
    if isinstance(op, type) or not isinstance(op, AtomOp):
        raise FrontendError(f"{function} needs an operation such as fx.UniversalCopy32b(), found {op!r}")
