"""Operations on integer tuples: construction from scalars, leaf-wise arithmetic and comparison."""

from __future__ import annotations

from xdsl.dialects.builtin import i32, i64
from xdsl.utils.exceptions import VerifyException

import flydsl.layout as fl
from flydsl.ir.fly.effects import PURE
from flydsl.ir.fly.fields import Operand, OptionalAttr, VariadicOperand
from flydsl.ir.fly.op import ConstantOp, FlyOp, InferredOp
from flydsl.ir.fly.types import IntTupleType, is_static

__all__ = [
    "CeilDivOp",
    "ElemLessOp",
    "EqualOp",
    "GetLeavesOp",
    "GetScalarOp",
    "IntTupleAddOp",
    "IntTupleDivOp",
    "IntTupleModOp",
    "IntTupleMulOp",
    "IntTupleProductEachOp",
    "IntTupleProductLikeOp",
    "IntTupleProductOp",
    "IntTupleSubOp",
    "MakeCoordOp",
    "MakeIntTupleOp",
    "MakeShapeOp",
    "MakeStrideOp",
    "ShapeDivOp",
    "StaticOp",
]


class MakeTupleOp(FlyOp):
    """Base of the operations that assemble an integer tuple from the values of its dynamic leaves.

    An operand may be wider or narrower than its leaf, whose width the value then has.
    """

    traits = PURE
    leaves = VariadicOperand()

    def verify_types(self) -> None:
        tuple_type = self.result.type
        if not isinstance(tuple_type, IntTupleType):
            raise VerifyException(f"{self.name} makes an int_tuple, found {tuple_type}")
        dynamic = len(fl.leaves(tuple_type.value))
        if len(self.operands) != dynamic or not all(type_ in (i32, i64) for type_ in self.operand_types):
            found = f"({', '.join(map(str, self.operand_types))})"
            raise VerifyException(
                f"the dynamic leaves of {tuple_type} take {dynamic} operands, i32 or i64, found {found}"
            )


class StaticOp(ConstantOp):
    """`fly.static : T`: the only value of a type that holds everything: static layouts, tiles, atoms."""

    name = "fly.static"

    def verify_types(self) -> None:
        if not is_static(self.result.type):
            raise VerifyException(f"fly.static makes values of static types, found {self.result.type}")


class MakeIntTupleOp(MakeTupleOp):
    """`(leaves...) -> int_tuple`: an integer tuple whose dynamic leaves are the operands, in order."""

    name = "fly.make_int_tuple"


class MakeShapeOp(MakeTupleOp):
    """`(leaves...) -> int_tuple`: a shape whose dynamic leaves are the operands, in order."""

    name = "fly.make_shape"


class MakeStrideOp(MakeTupleOp):
    """`(leaves...) -> int_tuple`: strides whose dynamic leaves are the operands, in order."""

    name = "fly.make_stride"


class MakeCoordOp(MakeTupleOp):
    """`(leaves...) -> int_tuple`: a coordinate whose dynamic leaves are the operands, in order."""

    name = "fly.make_coord"


class GetScalarOp(InferredOp):
    """`(int_tuple) -> i32 or i64`: the value of a tuple that is a single leaf."""

    name = "fly.get_scalar"
    input = Operand()


class GetLeavesOp(InferredOp):
    """`(int_tuple) {dynamicOnly} -> (scalars...)`: the leaves, or only the dynamic ones, in order."""

    name = "fly.get_leaves"
    results_expected = (0, None)
    input = Operand()
    dynamic_only: OptionalAttr[int] = OptionalAttr(int, "dynamicOnly")


class IntTupleAddOp(InferredOp):
    """`(lhs, rhs) -> int_tuple`: leaf-wise sum, a coordinate along basis leaves; a longer tail passes through."""

    name = "fly.int_tuple_add"
    lhs, rhs = Operand(), Operand()


class IntTupleSubOp(InferredOp):
    """`(lhs, rhs) -> int_tuple`: leaf-wise difference; a longer tail passes through."""

    name = "fly.int_tuple_sub"
    lhs, rhs = Operand(), Operand()


class IntTupleMulOp(InferredOp):
    """`(lhs, rhs) -> int_tuple`: leaf-wise product; a longer tail passes through."""

    name = "fly.int_tuple_mul"
    lhs, rhs = Operand(), Operand()


class IntTupleDivOp(InferredOp):
    """`(lhs, rhs) -> int_tuple`: leaf-wise truncated quotient; a longer tail passes through."""

    name = "fly.int_tuple_div"
    lhs, rhs = Operand(), Operand()


class IntTupleModOp(InferredOp):
    """`(lhs, rhs) -> int_tuple`: leaf-wise remainder; a longer tail passes through."""

    name = "fly.int_tuple_mod"
    lhs, rhs = Operand(), Operand()


class IntTupleProductOp(InferredOp):
    """`(t) -> int_tuple`: product of all leaves."""

    name = "fly.int_tuple_product"
    input = Operand()


class IntTupleProductEachOp(InferredOp):
    """`(t) -> int_tuple`: the product of each mode."""

    name = "fly.int_tuple_product_each"
    input = Operand()


class IntTupleProductLikeOp(InferredOp):
    """`(l, guide) -> int_tuple`: products of the sub-trees of `l` that `guide` has leaves for."""

    name = "fly.int_tuple_product_like"
    lhs, guide = Operand(), Operand()


class ShapeDivOp(InferredOp):
    """`(lhs, rhs) -> int_tuple`: divides a shape from the left, mode by mode."""

    name = "fly.shape_div"
    lhs, rhs = Operand(), Operand()


class CeilDivOp(InferredOp):
    """`(lhs, rhs) -> int_tuple`: leaf-wise quotient, rounded up."""

    name = "fly.ceil_div"
    lhs, rhs = Operand(), Operand()


class ElemLessOp(InferredOp):
    """`(lhs, rhs) -> i1`: every leaf of `lhs` is less than its partner."""

    name = "fly.elem_less"
    lhs, rhs = Operand(), Operand()


class EqualOp(InferredOp):
    """`(lhs, rhs) -> i1`: every leaf equals its partner."""

    name = "fly.equal"
    lhs, rhs = Operand(), Operand()
