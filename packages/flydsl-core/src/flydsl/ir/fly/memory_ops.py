"""Operations on tensors and pointers: views, offsets, loads and stores."""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import OpTraits
from xdsl.traits import MemoryAllocEffect
from xdsl.utils.exceptions import VerifyException

import flydsl.layout as fl
from flydsl.ir.fly.attributes import REGISTER
from flydsl.ir.fly.effects import ACTS_OUTSIDE, ALLOCATES, BY_OPERANDS, BY_OPERANDS_AND_OUTSIDE, PURE
from flydsl.ir.fly.element import element_bits
from flydsl.ir.fly.fields import READ, WRITE, Attr, Operand, OptionalAttr, VariadicOperand
from flydsl.ir.fly.infer import infer
from flydsl.ir.fly.op import FlyOp, InferredOp, check_operands, check_result
from flydsl.ir.fly.syntax import Form
from flydsl.ir.fly.types import ComposedLayoutType, IntTupleType, LayoutType, MemRefType, PointerType

__all__ = [
    "AddOffsetOp",
    "ApplySwizzleOp",
    "AssumeOp",
    "BreakpointOp",
    "DecompositionOp",
    "ExtractAlignedPointerAsIndexOp",
    "GetDynSharedOp",
    "InttoptrOp",
    "MakeFragmentLikeOp",
    "MakePtrOp",
    "MakeViewOp",
    "MemrefAllocaOp",
    "MemrefLoadOp",
    "MemrefLoadVecOp",
    "MemrefStoreOp",
    "MemrefStoreVecOp",
    "PrintOp",
    "PtrLoadOp",
    "PtrStoreOp",
    "PtrtointOp",
    "RecastIterOp",
    "ToLlvmPtrOp",
]

_POINTER = (PointerType, "a ptr")
_TENSOR = (MemRefType, "a memref")
_COORD = (IntTupleType, "an int_tuple")


class MakeViewOp(InferredOp):
    """`(ptr or int_tuple, layout) -> memref or coord_tensor`: a tensor from its iterator and layout."""

    name = "fly.make_view"
    iter, layout = Operand(), Operand()


class MakeFragmentLikeOp(InferredOp):
    """`(tensor or layout) {dtype?} -> memref`: a new register tensor of the argument's shape."""

    name = "fly.make_fragment_like"
    traits = ALLOCATES
    ref = Operand()
    dtype = OptionalAttr(object)


class DecompositionOp(InferredOp):
    """`(tensor) -> tensor`: the first element of a composed layout moves to the iterator, a swizzle onto the pointer.

    What is left is the rightmost plain layout. Beware: under an inner part that is itself a layout with other strides
    than 1, or under several swizzles, the result is another tensor, which only begins at the same element.
    """

    name = "fly.decomposition"
    input = Operand()


class MakePtrOp(FlyOp):
    """`(args...) {dictAttrs?} -> ptr`: a buffer resource, a shared or a register allocation, as the target has it.

    It counts as an allocation in each case: whether two of them are the same is for the target to know.
    """

    name = "fly.make_ptr"
    traits = OpTraits(lambda: (MemoryAllocEffect(),))
    args = VariadicOperand()
    dict_attrs = OptionalAttr(object, "dictAttrs")

    def verify_types(self) -> None:
        check_result(self, *_POINTER)


class GetDynSharedOp(InferredOp):
    """`() : ptr<i8, shared, align<1024>>`: the start of dynamic shared memory."""

    name = "fly.get_dyn_shared"
    form = Form.SOURCE
    device_only = "shared memory"


class InttoptrOp(FlyOp):
    """`(integer) -> ptr`: a pointer from an address."""

    name = "fly.inttoptr"
    traits = PURE
    input = Operand()

    def verify_types(self) -> None:
        check_operands(self, [((IntegerType, IndexType), "an integer")])
        check_result(self, *_POINTER)


class PtrtointOp(FlyOp):
    """`(ptr) -> integer`: the address of a pointer."""

    name = "fly.ptrtoint"
    traits = PURE
    input = Operand()

    def verify_types(self) -> None:
        check_operands(self, [_POINTER])
        check_result(self, (IntegerType, IndexType), "an integer")


class ToLlvmPtrOp(InferredOp):
    """`(ptr) {llvm_address_space} -> !llvm.ptr`: the pointer as LLVM sees it."""

    name = "fly.to_llvm_ptr"
    input = Operand()
    llvm_address_space = OptionalAttr(int)


class AddOffsetOp(InferredOp):
    """`(ptr or int_tuple, int_tuple)`: a pointer moved by elements, or a coordinate moved by a coordinate."""

    name = "fly.add_offset"
    iter, offset = Operand(), Operand()


class ApplySwizzleOp(InferredOp):
    """`(ptr, swizzle) -> ptr`: accesses through the result permute the bits of the byte address."""

    name = "fly.apply_swizzle"
    input, swizzle = Operand(), Operand()


class RecastIterOp(FlyOp):
    """`(ptr) -> ptr`: the same address with another element type, alignment or space."""

    name = "fly.recast_iter"
    traits = PURE
    input = Operand()

    def verify_types(self) -> None:
        check_operands(self, [_POINTER])
        check_result(self, *_POINTER)


class PtrLoadOp(FlyOp):
    """`(ptr) -> scalar or vector`: reads the result's type."""

    name = "fly.ptr.load"
    device_only = "loading through a pointer"
    ptr = Operand(READ)

    def verify_types(self) -> None:
        check_operands(self, [_POINTER])
        element_bits(self.result.type)


class PtrStoreOp(FlyOp):
    """`(value, ptr)`: writes a scalar or vector."""

    name = "fly.ptr.store"
    results_expected = (0, 0)
    device_only = "storing through a pointer"
    value, ptr = Operand(), Operand(WRITE)

    def verify_types(self) -> None:
        element_bits(self.value.type)
        check_operands(self, [(object, ""), _POINTER])


class MemrefAllocaOp(FlyOp):
    """`(layout) -> memref`: a register tensor of the result's type."""

    name = "fly.memref.alloca"
    traits = ALLOCATES
    layout = Operand()

    def verify_types(self) -> None:
        check_operands(self, [((LayoutType, ComposedLayoutType), "a layout")])
        check_result(self, *_TENSOR)
        tensor, layout = self.result.type, self.layout.type
        assert isinstance(tensor, MemRefType)
        assert isinstance(layout, LayoutType | ComposedLayoutType)
        if tensor.space != REGISTER or tensor.layout != layout.value:
            raise VerifyException(f"{self.name} makes a register tensor of {layout}, found {tensor}")


class MemrefLoadOp(InferredOp):
    """`(tensor, coord) -> element`: one element; of a coordinate tensor, the coordinate."""

    name = "fly.memref.load"
    traits = BY_OPERANDS
    device_only = "loading a tensor element"
    tensor, coord = Operand(READ), Operand()


class MemrefStoreOp(FlyOp):
    """`(value, tensor, coord)`: writes one element."""

    name = "fly.memref.store"
    results_expected = (0, 0)
    device_only = "storing a tensor element"
    value, tensor, coord = Operand(), Operand(WRITE), Operand()

    def verify_types(self) -> None:
        check_operands(self, [(object, ""), _TENSOR, _COORD])
        tensor = self.tensor.type
        assert isinstance(tensor, MemRefType)
        if self.value.type != tensor.element:
            raise VerifyException(f"{self.name} of {self.value.type} into a tensor of {tensor.element}")


class MemrefLoadVecOp(InferredOp):
    """`(tensor) -> vector`: all elements, in colexicographic order; of a tensor of integers, its coordinates."""

    name = "fly.memref.load_vec"
    traits = BY_OPERANDS
    device_only = "loading a tensor"
    tensor = Operand(READ)


class MemrefStoreVecOp(FlyOp):
    """`(vector, tensor)`: writes all elements, in colexicographic order."""

    name = "fly.memref.store_vec"
    results_expected = (0, 0)
    device_only = "storing a tensor"
    value, tensor = Operand(), Operand(WRITE)

    def verify_types(self) -> None:
        check_operands(self, [(object, ""), _TENSOR])
        expected = infer("fly.memref.load_vec", [self.tensor.type])
        if self.value.type != expected:
            raise VerifyException(f"{self.name} takes {expected}, found {self.value.type}")


class ExtractAlignedPointerAsIndexOp(FlyOp):
    """`(tensor) -> index or !llvm.ptr`: the address of a tensor."""

    name = "fly.extract_aligned_pointer_as_index"
    traits = PURE
    tensor = Operand()

    def verify_types(self) -> None:
        check_operands(self, [_TENSOR])
        check_result(self, (IndexType, IntegerType, LLVMPointerType), "an index or a pointer")


class PrintOp(FlyOp):
    """`(values...) {format}`: prints scalars, tuples, layouts, vectors; `{}` stands for the next value."""

    name = "fly.print"
    traits = BY_OPERANDS_AND_OUTSIDE
    results_expected = (0, 0)
    values = VariadicOperand(READ)
    format = OptionalAttr(str)


class BreakpointOp(FlyOp):
    """`(values...) {variables}`: the interpreter stops in a debugger; variables are expressions of `v`, the values.

    A debugger shows what the values hold; what is assigned there stays in the debugger, so nothing is written.
    """

    name = "fly.breakpoint"
    traits = BY_OPERANDS_AND_OUTSIDE
    results_expected = (0, 0)
    values = VariadicOperand(READ)
    variables = Attr(object)


class AssumeOp(FlyOp):
    """`(dst, src) -> T`: the value `src` with the promises (widths, divisibility) of the result's type.

    It touches no memory, but it is a statement of the user's: it stays where it stands even when nothing uses the
    result, and is not merged with another, until the lowering takes its promise in.
    """

    name = "fly.assume"
    traits = ACTS_OUTSIDE
    dst, src = Operand(), Operand()

    def verify_types(self) -> None:
        source, result = self.src.type, self.result.type
        if isinstance(source, IntTupleType) and isinstance(result, IntTupleType):
            alike = _without_promises(source.value) == _without_promises(result.value)
        else:
            alike = source == result or (isinstance(source, PointerType) and isinstance(result, PointerType))
        if not alike:
            raise VerifyException(f"{self.name} only adds promises to {source}, found {result}")


def _without_promises(value: fl.IntTuple) -> fl.IntTuple:
    return fl.map_leaves(lambda leaf: fl.Dyn() if isinstance(leaf, fl.Dyn) else leaf, value)
