"""Operations that make, partition by and execute matrix multiply-add atoms."""

from __future__ import annotations

from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from flydsl.ir.fly.attributes import GemmTraversalOrder, MmaOperand, MmaOperandAttr
from flydsl.ir.fly.effects import ALLOCATES
from flydsl.ir.fly.fields import READ, WRITE, Attr, Operand, OptionalAttr, OptionalOperand
from flydsl.ir.fly.op import ConstantOp, FlyOp, InferredOp, check_operand, check_operands, check_tensors
from flydsl.ir.fly.syntax import SEGMENTS, Behind
from flydsl.ir.fly.types import LayoutType, MemRefType, MmaAtomType, TiledMmaType
from flydsl.ir.fly.views import wrong_element

__all__ = [
    "GemmOp",
    "GetMmaAtomOp",
    "MakeMmaAtomOp",
    "MakeTiledMmaOp",
    "MmaAtomCallOp",
    "MmaAtomCallSsaOp",
    "MmaMakeFragmentOp",
    "TiledMmaPartitionOp",
    "TiledMmaPartitionShapeOp",
]

_ATOM = (MmaAtomType, "an mma_atom")


def _parse_operand_id(parser: Parser) -> Attribute:
    return MmaOperandAttr(parser.parse_str_enum(MmaOperand))


def _operand_id_text(attribute: Attribute) -> str:
    return attribute.data.value if isinstance(attribute, MmaOperandAttr) else str(attribute)


class _OperandOp(InferredOp):
    """Base of operations that print the operand they are about first: `fly.op(a, %x)`."""

    leading = ("operand_id", _parse_operand_id, _operand_id_text)


class MakeMmaAtomOp(ConstantOp):
    """`fly.make_mma_atom : T`: an MMA atom in its default state."""

    name = "fly.make_mma_atom"

    def verify_types(self) -> None:
        if not isinstance(self.result.type, MmaAtomType):
            raise VerifyException(f"{self.name} makes an mma_atom, found {self.result.type}")


class MakeTiledMmaOp(InferredOp):
    """`(atom, atom_layout[, perm]) -> tiled_mma`."""

    name = "fly.make_tiled_mma"
    atom, atom_layout, perm = Operand(), Operand(), OptionalOperand()


class GetMmaAtomOp(InferredOp):
    """`(tiled_mma) -> mma_atom`."""

    name = "fly.get_mma_atom"
    tiled_mma = Operand()


class TiledMmaPartitionOp(_OperandOp):
    """`(operand, tiled_mma, tensor, thread) -> tensor`: what a thread holds of an operand, as (value, rest...)."""

    name = "fly.tiled_mma.partition"
    tiled_mma, tensor, thread = Operand(), Operand(), Operand()
    operand_id = Attr(MmaOperand)


class TiledMmaPartitionShapeOp(_OperandOp):
    """`(operand, tiled_mma, shape) -> int_tuple`: the shape that `partition` gives."""

    name = "fly.tiled_mma.partition_shape"
    tiled_mma, shape = Operand(), Operand()
    operand_id = Attr(MmaOperand)


class MmaMakeFragmentOp(_OperandOp):
    """`(operand, tiled_mma, tensor[, stages = n]) -> memref`: a register tensor for a thread's part of an operand."""

    name = "fly.mma.make_fragment"
    trailing = "stages"
    traits = ALLOCATES
    tiled_mma, tensor = Operand(), Operand()
    operand_id = Attr(MmaOperand)
    stages = OptionalAttr(int)


class MmaAtomCallOp(FlyOp):
    """`(atom, d, a, b, c)`: one MMA instruction on register tensors of rank 1."""

    name = "fly.mma_atom_call"
    results_expected = (0, 0)
    device_only = "mma_atom_call"
    atom, d, a, b, c = Operand(), Operand(WRITE), Operand(READ), Operand(READ), Operand(READ)

    def verify_types(self) -> None:
        check_operands(self, [_ATOM])
        check_tensors(self, *self.operands[1:])
        _check_elements(self)


class MmaAtomCallSsaOp(FlyOp):
    """`(atom, a, b, c)[ dst = d] -> [value]`: one MMA instruction whose register operands are SSA values.

    With all of them SSA values it is a function of these and so pure; a tensor among them is read or, as `d`, written.
    """

    name = "fly.mma_atom_call_ssa"
    behind = Behind("dst", older_place=1, count=5)
    results_expected = (0, 1)
    atom, a, b, c, d = Operand(), Operand(READ), Operand(READ), Operand(READ), OptionalOperand(WRITE)

    def verify_types(self) -> None:
        if SEGMENTS in self.all_attributes:
            raise VerifyException(f"{self.name} has no {SEGMENTS}: its operands are atom, a, b, c and, last, d")
        check_operands(self, [_ATOM])
        check_tensors(self, *self.operands[1:], *self.results, or_values=True)


class GemmOp(FlyOp):
    """`(atom or tiled_mma, d, a, b, c[, traversal_layout]) {traversalOrder?}`: d = a * b + c over fragments."""

    name = "fly.gemm"
    results_expected = (0, 0)
    device_only = "gemm"
    atom, d, a, b, c = Operand(), Operand(WRITE), Operand(READ), Operand(READ), Operand(READ)
    traversal_layout = OptionalOperand()
    traversal_order = OptionalAttr(GemmTraversalOrder, "traversalOrder")

    def verify_types(self) -> None:
        check_operand(self, 0, (MmaAtomType, TiledMmaType), "an mma_atom or tiled_mma")
        check_tensors(self, self.d, self.a, self.b, self.c)
        _check_elements(self)
        if self.traversal_layout is not None:
            check_operand(self, 5, LayoutType, "a layout")


def _check_elements(op: FlyOp) -> None:
    atom, *tensors = (operand.type for operand in op.operands[:5])
    elements = [tensor.element for tensor in tensors if isinstance(tensor, MemRefType)]
    if len(elements) < len(tensors):
        return
    assert isinstance(atom, MmaAtomType | TiledMmaType)
    wrong = wrong_element(atom, elements)
    if wrong is not None:
        place, expected = wrong
        raise VerifyException(
            f"operand {place + 1} of {op.name} must have elements of type {expected}, found {elements[place]}"
        )
