"""Inline PTX whose registers may be results and operands at once, and vectors as the registers that it takes."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import llvm, vector
from xdsl.dialects.builtin import DenseArrayBase, IntegerType, StringAttr, UnitAttr, VectorType, i64
from xdsl.ir import Attribute, Operation, SSAValue

from flydsl.ir.fly.element import element_bits
from flydsl.ir.upstream import StructType
from flydsl.passes.to_llvm.builder import LLVMBuilder

_REGISTER_BITS = 32
_FROM_ELEMENTS = "vector.from_elements"
_CONSTRAINTS = {"f32": "f", "i32": "r", "i64": "l"}


def tied_assembly(
    build: LLVMBuilder,
    text: str,
    tied: Sequence[SSAValue],
    operands: Sequence[SSAValue] = (),
    *,
    clobbers: Sequence[str] = (),
) -> list[SSAValue]:
    """PTX that changes the registers `tied`, `$0` and so on, and reads `operands`; gives the registers after it.

    In the text the tied registers count twice: the first of the operands is `$` of twice their number.
    """
    types = tuple(value.type for value in tied)
    letters = [_CONSTRAINTS[str(type_)] for type_ in types]
    constraints = [
        *(f"={letter}" for letter in letters),
        *map(str, range(len(tied))),
        *(_CONSTRAINTS[str(operand.type)] for operand in operands),
        *clobbers,
    ]
    properties: dict[str, Attribute] = {
        "asm_string": StringAttr(text),
        "constraints": StringAttr(",".join(constraints)),
        "has_side_effects": UnitAttr(),
    }
    results: tuple[Attribute, ...] = () if not types else types if len(types) == 1 else (StructType(types),)
    op = build.create(llvm.InlineAsmOp, (*tied, *operands), results, properties=properties)
    if len(types) < 2:
        return list(op.results)
    return [build.extract_value(op.results[0], (index,), type_) for index, type_ in enumerate(types)]


def as_registers(build: LLVMBuilder, value: SSAValue) -> list[SSAValue]:
    """A vector as registers of 32 bits; narrower elements share them."""
    packed = _packed(build, value)
    if elements := _elements(packed):
        return elements
    if not isinstance(packed.type, VectorType):
        return [packed]
    element = packed.type.element_type
    return [
        build.value(vector.ExtractOp, (packed,), element, {"static_position": DenseArrayBase.from_list(i64, [index])})
        for index in range(packed.type.element_count())
    ]


def from_registers(build: LLVMBuilder, registers: Sequence[SSAValue], type_: Attribute) -> SSAValue:
    """The inverse: a value of `type_`."""
    if len(registers) == 1:
        return build.bitcast(registers[0], type_)
    whole = VectorType(registers[0].type, [len(registers)])
    return build.bitcast(build.raw(_FROM_ELEMENTS, registers, (whole,)).results[0], type_)


def _elements(value: SSAValue) -> list[SSAValue]:
    """What a vector was made from, one value an element; nothing for other vectors."""
    owner = value.owner
    return list(owner.operands) if isinstance(owner, Operation) and owner.name == _FROM_ELEMENTS else []


def _packed(build: LLVMBuilder, value: SSAValue) -> SSAValue:
    """The vector with elements of 32 bits."""
    type_ = value.type
    element = type_.element_type if isinstance(type_, VectorType) else type_
    bits = element_bits(element)
    if bits == _REGISTER_BITS:
        return value
    assert isinstance(type_, VectorType)
    owner = value.owner
    if isinstance(owner, llvm.BitcastOp) and _elements(owner.operands[0]):
        return owner.operands[0]
    count = type_.element_count() * bits // _REGISTER_BITS
    i32 = IntegerType(_REGISTER_BITS)
    return build.bitcast(value, VectorType(i32, [count]) if count > 1 else i32)
