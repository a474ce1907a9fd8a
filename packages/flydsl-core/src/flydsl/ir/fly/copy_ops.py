"""Operations that make, partition by and execute copy atoms."""

from __future__ import annotations

from xdsl.utils.exceptions import VerifyException

from flydsl.ir.fly.effects import BY_OPERANDS_AND_OUTSIDE
from flydsl.ir.fly.fields import READ, WRITE, Attr, Operand, OptionalOperand
from flydsl.ir.fly.op import ConstantOp, FlyOp, InferredOp, check_operand, check_operands, check_tensors
from flydsl.ir.fly.types import CopyAtomType, TiledCopyType

__all__ = [
    "AtomSetValueOp",
    "CopyAtomCallOp",
    "CopyAtomCallSsaOp",
    "CopyOp",
    "GetCopyAtomOp",
    "MakeCopyAtomOp",
    "MakeTiledCopyOp",
    "TiledCopyPartitionDstOp",
    "TiledCopyPartitionSrcOp",
    "TiledCopyRetileOp",
]

_ATOM = (CopyAtomType, "a copy_atom")


class MakeCopyAtomOp(ConstantOp):
    """`fly.make_copy_atom {valBits = 32 : i32} : T`: a copy atom in its default state."""

    name = "fly.make_copy_atom"
    val_bits = Attr(int, "valBits")

    def verify_types(self) -> None:
        atom = self.result.type
        if not isinstance(atom, CopyAtomType) or atom.val_bits != self.val_bits:
            raise VerifyException(f"{self.name} makes a copy_atom of {self.val_bits} bits, found {atom}")


class AtomSetValueOp(InferredOp):
    """`(atom, "field", value) -> atom`: the atom with one field of its state set."""

    name = "fly.atom.set_value"
    quoted = "field"
    atom, value = Operand(), Operand()
    field = Attr(str)


class MakeTiledCopyOp(InferredOp):
    """`(atom, layout_tv, tile_mn) -> tiled_copy`."""

    name = "fly.make_tiled_copy"
    atom, layout_tv, tile_mn = Operand(), Operand(), Operand()


class GetCopyAtomOp(InferredOp):
    """`(tiled_copy) -> copy_atom`."""

    name = "fly.get_copy_atom"
    tiled_copy = Operand()


class TiledCopyPartitionSrcOp(InferredOp):
    """`(tiled_copy, tensor, thread) -> tensor`: what a thread reads, as ((value, rest of atom), rest...)."""

    name = "fly.tiled_copy.partition_src"
    tiled_copy, tensor, thread = Operand(), Operand(), Operand()


class TiledCopyPartitionDstOp(InferredOp):
    """`(tiled_copy, tensor, thread) -> tensor`: what a thread writes, as ((value, rest of atom), rest...)."""

    name = "fly.tiled_copy.partition_dst"
    tiled_copy, tensor, thread = Operand(), Operand(), Operand()


class TiledCopyRetileOp(InferredOp):
    """`(tiled_copy, fragment) -> fragment`: a fragment of another partitioning, seen as this copy's."""

    name = "fly.tiled_copy.retile"
    tiled_copy, tensor = Operand(), Operand()


class CopyAtomCallOp(FlyOp):
    """`(atom, src, dst[, pred])`: one copy instruction on tensors of rank 1."""

    name = "fly.copy_atom_call"
    results_expected = (0, 0)
    device_only = "copy_atom_call"
    atom, src, dst, pred = Operand(), Operand(READ), Operand(WRITE), OptionalOperand(READ)

    def verify_types(self) -> None:
        check_operands(self, [_ATOM])
        check_tensors(self, self.src, self.dst, self.pred)


class CopyAtomCallSsaOp(FlyOp):
    """`(atom, src[, dst][, pred]) -> [value]`: one copy instruction whose register operands are SSA values.

    Without `dst` the copied value is the result; a predicated copy into registers gets the old value as `dst`.
    What a target's copy does besides (counters, asynchronous transfers) is unknown here: a call always stays.
    """

    name = "fly.copy_atom_call_ssa"
    traits = BY_OPERANDS_AND_OUTSIDE
    segmented = True
    results_expected = (0, 1)
    atom, src, dst, pred = Operand(), Operand(READ), OptionalOperand(WRITE), OptionalOperand(READ)

    def verify_types(self) -> None:
        check_operands(self, [_ATOM])
        check_tensors(self, self.src, self.dst, self.pred, *self.results, or_values=True)


class CopyOp(FlyOp):
    """`(atom or tiled_copy, src, dst[, pred])`: copies a whole partitioned tensor."""

    name = "fly.copy"
    results_expected = (0, 0)
    device_only = "copy"
    atom, src, dst, pred = Operand(), Operand(READ), Operand(WRITE), OptionalOperand(READ)

    def verify_types(self) -> None:
        check_operand(self, 0, (CopyAtomType, TiledCopyType), "a copy_atom or tiled_copy")
        check_tensors(self, self.src, self.dst, self.pred)
