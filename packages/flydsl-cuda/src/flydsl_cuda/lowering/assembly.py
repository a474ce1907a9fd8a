"""Inline PTX, and vectors as the registers that it takes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from xdsl.dialects import llvm, vector
from xdsl.dialects.builtin import IntegerType, StringAttr, UnitAttr, VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from flydsl.backend.ir import StructType, element_bits
from flydsl.backend.llvm import LLVMBuilder
from flydsl.backend.rewriting import position

MEMORY = "~{memory}"
"""What PTX says it changes when it reads or writes memory: it stays where it is among other accesses."""
_REGISTER_BITS = 32
_FROM_ELEMENTS = "vector.from_elements"
_REGISTERS = {"i16": "h", "i32": "r", "i64": "l", "f32": "f", "f64": "d", "!llvm.ptr<3>": "r"}


def assembly(
    build: LLVMBuilder,
    text: str,
    operands: Sequence[SSAValue] = (),
    results: Sequence[Attribute] = (),
    *,
    clobbers: Sequence[str] = (),
    pure: bool = False,
) -> list[SSAValue]:
    """The `results` of PTX, `$0` and so on in the text; the `operands` follow them.

    What is not `pure` is never left out, doubled or moved past another that is not.
    """
    outputs = [f"={_register(type_)}" for type_ in results]
    inputs = [_register(operand.type) for operand in operands]
    return _emit(build, text, [*outputs, *inputs, *clobbers], operands, results, pure)


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
    types = [value.type for value in tied]
    outputs = [f"={_register(type_)}" for type_ in types]
    inputs = [*map(str, range(len(tied))), *(_register(operand.type) for operand in operands)]
    return _emit(build, text, [*outputs, *inputs, *clobbers], (*tied, *operands), types, pure=False)


def _emit(
    build: LLVMBuilder,
    text: str,
    constraints: Sequence[str],
    operands: Sequence[SSAValue],
    types: Sequence[Attribute],
    pure: bool,
) -> list[SSAValue]:
    properties: dict[str, Attribute] = {
        "asm_string": StringAttr(text),
        "constraints": StringAttr(",".join(constraints)),
        **({} if pure else {"has_side_effects": UnitAttr()}),
    }
    whole: tuple[Attribute, ...] = tuple(types) if len(types) < 2 else (StructType(tuple(types)),)
    op = build.create(llvm.InlineAsmOp, operands, whole, properties=properties)
    if len(types) < 2:
        return list(op.results)
    return [build.extract_value(op.results[0], (index,), type_) for index, type_ in enumerate(types)]


@lru_cache(maxsize=256)
def _register(type_: Attribute) -> str:
    """The kind of register of a value: an address in shared memory has 32 bits, another one 64."""
    name = str(type_)
    return "l" if isinstance(type_, llvm.LLVMPointerType) and name not in _REGISTERS else _REGISTERS[name]


def as_registers(build: LLVMBuilder, value: SSAValue) -> list[SSAValue]:
    """A vector as registers of 32 bits; narrower elements share them."""
    packed = _packed(build, value)
    if elements := _elements(packed):
        return elements
    if not isinstance(packed.type, VectorType):
        return [packed]
    element = packed.type.element_type
    return [
        build.value(vector.ExtractOp, (packed,), element, {"static_position": position(index)})
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
