"""Typed helpers that append arith, llvm and scf operations to a block, over unchecked construction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from xdsl.dialects import arith, llvm, scf, vector
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntAttr,
    IntegerAttr,
    IntegerType,
    NoneAttr,
    StringAttr,
    SymbolRefAttr,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from flydsl.ir.build import Builder
from flydsl.ir.edits import detach
from flydsl.ir.upstream import OPERATIONS, upstream_op

DYNAMIC_INDEX = -2147483648
"""The GEP constant index that stands for "the next SSA index"."""

_PREDICATES = {"eq": 0, "ne": 1, "slt": 2, "sle": 3, "sgt": 4, "sge": 5, "ult": 6, "ule": 7, "ugt": 8, "uge": 9}


@cache
def pointer_type(address_space: int = 0) -> llvm.LLVMPointerType:
    """`!llvm.ptr`, or `!llvm.ptr<N>` for an address space other than 0."""
    return llvm.LLVMPointerType(IntAttr(address_space) if address_space else NoneAttr())


def splat(build: LLVMBuilder, type_: Attribute, value: IntegerAttr[IntegerType] | FloatAttr[AnyFloat]) -> SSAValue:
    """A constant of a scalar or vector type with `value` in every lane."""
    attribute: Attribute = value
    if isinstance(type_, VectorType) and value.type.bitwidth > 64:  # which dense elements cannot have
        return build.value(vector.BroadcastOp, (splat(build, value.type, value),), type_)
    if isinstance(type_, VectorType):
        attribute = DenseIntOrFPElementsAttr.from_list(type_, [value.value.data])
    return build.value(arith.ConstantOp, (), type_, {"value": attribute})


def array_type(size: int, element: Attribute) -> llvm.LLVMArrayType:
    """`!llvm.array<size x element>`."""
    return llvm.LLVMArrayType(IntAttr(size), element)


@lru_cache(maxsize=8192)
def integer(value: int, type_: IntegerType | IndexType) -> Attribute:
    """`value : type`; attributes are costly to make and shared freely."""
    return IntegerAttr(value, type_)


@lru_cache(maxsize=8192)
def integers(values: tuple[int, ...], type_: IntegerType) -> Attribute:
    """`array<type: values>`."""
    return DenseArrayBase.from_list(type_, list(values))


@cache
def raw_operation(name: str) -> type[Operation]:
    """The class of an operation that xDSL does not define, such as `llvm.atomicrmw` or `rocdl.mfma.f32.16x16x4f32`."""
    return OPERATIONS.get(name) or upstream_op(name)


class LLVMBuilder(Builder):
    """`Builder` with the vocabulary of lowered code; operations it makes for `before_op` carry that operation's
    location.
    """

    __slots__ = ()

    @classmethod
    def before_op(cls, op: Operation) -> LLVMBuilder:
        """A builder that inserts in front of `op`, with its location."""
        block = op.parent
        assert block is not None, "the operation is in no block"
        builder = cls(block, op)
        builder._location = op.location
        return builder

    def move(self, op: Operation) -> None:
        """Take an operation out of its block and put it here."""
        detach(op)
        self.insert(op)

    def raw(
        self,
        name: str,
        operands: Sequence[SSAValue] = (),
        result_types: Sequence[Attribute] = (),
        attributes: Mapping[str, Attribute] | None = None,
    ) -> Operation:
        """An operation that xDSL does not define, by name."""
        return self.create(raw_operation(name), operands, result_types, attributes)

    def value(
        self,
        cls: type[Operation],
        operands: Sequence[SSAValue],
        result_type: Attribute,
        properties: Mapping[str, Attribute] | None = None,
    ) -> SSAValue:
        """The single result of a new operation."""
        (result,) = self.create(cls, operands, (result_type,), properties=properties).results
        return result

    # constants and integer arithmetic

    def constant(self, value: int, type_: IntegerType | IndexType = i32) -> SSAValue:
        """An integer constant of `type_`."""
        return self.value(arith.ConstantOp, (), type_, {"value": integer(value, type_)})

    def add(self, a: SSAValue, b: SSAValue, *, nsw: bool = False) -> SSAValue:
        """a + b of two integers of one type."""
        return self.value(arith.AddiOp, (a, b), a.type, _overflow(nsw))

    def sub(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """a - b of two integers of one type."""
        return self.value(arith.SubiOp, (a, b), a.type)

    def mul(self, a: SSAValue, b: SSAValue, *, nsw: bool = False) -> SSAValue:
        """a * b of two integers of one type."""
        return self.value(arith.MuliOp, (a, b), a.type, _overflow(nsw))

    def bit_and(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """a & b."""
        return self.value(arith.AndIOp, (a, b), a.type)

    def bit_or(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """a | b."""
        return self.value(arith.OrIOp, (a, b), a.type)

    def bit_xor(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """a ^ b."""
        return self.value(arith.XOrIOp, (a, b), a.type)

    def shift_right(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """a >> b, filling with zeros."""
        return self.value(arith.ShRUIOp, (a, b), a.type)

    def shift_right_signed(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """a >> b, keeping the sign."""
        return self.value(arith.ShRSIOp, (a, b), a.type)

    def compare(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        """An i1, or a vector of them: `predicate` is one of eq ne slt sle sgt sge ult ule ugt uge."""
        properties = {"predicate": integer(_PREDICATES[predicate], i64)}
        return self.value(arith.CmpiOp, (a, b), self.compare_mask(a.type), properties)

    @staticmethod
    def compare_mask(type_: Attribute) -> Attribute:
        """The type of a comparison of values of `type_`: i1, or a vector of it."""
        return VectorType(i1, type_.shape) if isinstance(type_, VectorType) else i1

    def select(self, condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        """a where the condition holds, else b."""
        return self.value(arith.SelectOp, (condition, a, b), a.type)

    def integer_cast(self, value: SSAValue, type_: Attribute) -> SSAValue:
        """`value` as another integer or index type: sign-extended, truncated or index-cast; unchanged when equal."""
        if value.type == type_:
            return value
        if isinstance(value.type, IndexType) or isinstance(type_, IndexType):
            return self.value(arith.IndexCastOp, (value,), type_)
        assert isinstance(value.type, IntegerType), value.type
        assert isinstance(type_, IntegerType), type_
        wider = type_.width.data > value.type.width.data
        return self.value(arith.ExtSIOp if wider else arith.TruncIOp, (value,), type_)

    def cast_index(self, value: SSAValue, type_: Attribute) -> SSAValue:
        """`value` as `type_`, which is its type or differs from it by being `index` instead of an integer."""
        return value if value.type == type_ else self.value(arith.IndexCastOp, (value,), type_)

    def zero_extend(self, value: SSAValue, type_: Attribute) -> SSAValue:
        """`value` zero-extended to a wider integer type."""
        return self.value(arith.ExtUIOp, (value,), type_)

    def bitcast(self, value: SSAValue, type_: Attribute) -> SSAValue:
        """The same bits as another type; unchanged when equal."""
        if value.type == type_:
            return value
        return self.value(llvm.BitcastOp, (value,), type_)

    # pointers and memory

    def gep(
        self, pointer: SSAValue, indices: Sequence[int | SSAValue], element: Attribute, *, inbounds: bool = False
    ) -> SSAValue:
        """The address `indices` elements of type `element` behind `pointer`."""
        properties: dict[str, Attribute] = {
            "elem_type": element,
            "rawConstantIndices": integers(tuple(i if isinstance(i, int) else DYNAMIC_INDEX for i in indices), i32),
            "noWrapFlags": integer(3 if inbounds else 0, i32),
        }
        operands = (pointer, *(i for i in indices if not isinstance(i, int)))
        return self.value(llvm.GEPOp, operands, pointer.type, properties)

    def load(self, pointer: SSAValue, type_: Attribute, alignment: int = 0) -> SSAValue:
        """Read a value of `type_`; alignment in bytes, 0 for the type's own."""
        return self.value(llvm.LoadOp, (pointer,), type_, _memory(alignment))

    def store(self, value: SSAValue, pointer: SSAValue, alignment: int = 0) -> Operation:
        """Write `value`; alignment in bytes, 0 for the type's own."""
        return self.create(llvm.StoreOp, (value, pointer), properties=_memory(alignment))

    def address_of(self, symbol: str, address_space: int = 0) -> SSAValue:
        """The address of a global of this module."""
        return self.value(
            llvm.AddressOfOp, (), pointer_type(address_space), {"global_name": SymbolRefAttr(StringAttr(symbol))}
        )

    # structs

    def undef(self, type_: Attribute) -> SSAValue:
        """A value of `type_` with no defined content."""
        return self.value(llvm.UndefOp, (), type_)

    def extract_value(self, struct: SSAValue, position: Sequence[int], type_: Attribute) -> SSAValue:
        """The field of `struct` at `position`."""
        return self.value(llvm.ExtractValueOp, (struct,), type_, {"position": integers(tuple(position), i64)})

    def insert_value(self, struct: SSAValue, value: SSAValue, position: Sequence[int]) -> SSAValue:
        """`struct` with the field at `position` replaced."""
        properties = {"position": integers(tuple(position), i64)}
        return self.value(llvm.InsertValueOp, (struct, value), struct.type, properties)

    # control flow

    def branch(self, target: Block, *arguments: SSAValue) -> None:
        """Jump to `target`."""
        self.create(llvm.BrOp, arguments, successors=(target,))

    def if_(
        self, condition: SSAValue, result_types: Sequence[Attribute] = ()
    ) -> tuple[scf.IfOp, LLVMBuilder, LLVMBuilder]:
        """An `scf.if` and builders for its then and else blocks, which the caller must end with `yield_`."""
        then, otherwise = Block(), Block()
        op = self.create(scf.IfOp, (condition,), result_types, regions=(Region(then), Region(otherwise)))
        builders = LLVMBuilder(then), LLVMBuilder(otherwise)
        for builder in builders:
            builder._location = self._location
        return op, *builders

    def yield_(self, *values: SSAValue) -> None:
        """End an scf region."""
        self.create(scf.YieldOp, values)


_NO_SIGNED_WRAP = arith.IntegerOverflowAttr([arith.IntegerOverflowFlag.NSW])


def _overflow(nsw: bool) -> dict[str, Attribute]:
    return {"overflowFlags": _NO_SIGNED_WRAP} if nsw else {}


def _memory(alignment: int) -> dict[str, Attribute]:
    properties = {"ordering": integer(0, i64)}
    if alignment:
        properties["alignment"] = integer(alignment, i64)
    return properties
