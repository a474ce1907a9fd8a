"""The atoms that every target has: vector copies of any width, atomics, and one multiply-add."""

from __future__ import annotations

from xdsl.dialects import math, vector
from xdsl.dialects.builtin import (
    AnyFloat,
    IntegerAttr,
    IntegerType,
    Signedness,
    StringAttr,
    VectorType,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue

from flydsl.backend.conversion.conversion import Conversion
from flydsl.backend.conversion.target import CopyCall, CopyHandler, Memory, MmaCall, MmaHandler
from flydsl.base.errors import IRError
from flydsl.ir.fly.atoms import CopyOpType, MmaOpType, UniversalAtomicType, UniversalCopyType, UniversalFMAType
from flydsl.ir.fly.attributes import AtomicOp
from flydsl.ir.fly.element import element_bits
from flydsl.passes.cached_attributes import position
from flydsl.passes.registers.storage import storage_type
from flydsl.passes.to_llvm.builder import LLVMBuilder

_MONOTONIC = 2
_INTEGER_ATOMICS = {
    AtomicOp.ADD: 1,
    AtomicOp.AND: 3,
    AtomicOp.OR: 5,
    AtomicOp.MAX: 7,
    AtomicOp.MIN: 8,
    AtomicOp.INC: 15,
    AtomicOp.DEC: 16,
}
_UNSIGNED_ATOMICS = {**_INTEGER_ATOMICS, AtomicOp.MAX: 9, AtomicOp.MIN: 10}
_FLOAT_ATOMICS = {AtomicOp.ADD: 11, AtomicOp.MAX: 13, AtomicOp.MIN: 14}
"""`bin_op` of `llvm.atomicrmw`."""


def transfer_type(bits: int) -> Attribute:
    """A type to move `bits` bits as."""
    if bits in (8, 16, 32, 64):
        return IntegerType(bits)
    if bits % 32 == 0:
        return VectorType(i32, [bits // 32])
    if bits % 8 == 0:
        return VectorType(i8, [bits // 8])
    raise IRError(f"a copy moves whole bytes, found {bits} bits")


def load_or_store(conversion: Conversion, call: CopyCall, bits: int) -> SSAValue | None:
    """Move one vector of `bits` bits; loads and stores are those of the operands' memory spaces."""
    value = call.src
    if isinstance(value, Memory):
        value = value.load(call.build, call.result or transfer_type(bits))
    if call.dst is None:
        return value
    call.dst.store(call.build, value)
    return None


def atomic_kind(op: AtomicOp, element: Attribute) -> int:
    """The `bin_op` number of an atomic on `element`."""
    scalar = element.element_type if isinstance(element, VectorType) else element
    unsigned = isinstance(scalar, IntegerType) and scalar.signedness.data is Signedness.UNSIGNED
    kinds = _FLOAT_ATOMICS if isinstance(scalar, AnyFloat) else _UNSIGNED_ATOMICS if unsigned else _INTEGER_ATOMICS
    if op not in kinds:
        raise IRError(f"there is no atomic {op.value!r} on {element}; possible: {', '.join(k.value for k in kinds)}")
    return kinds[op]


def first_element(build: LLVMBuilder, value: SSAValue) -> SSAValue:
    """The scalar of a vector of one element; any other value as it is."""
    if isinstance(value.type, VectorType) and value.type.element_count() == 1:
        properties = {"static_position": position(0)}
        return build.value(vector.ExtractOp, (value,), value.type.element_type, properties)
    return value


def _universal_copy(conversion: Conversion, call: CopyCall) -> SSAValue | None:
    atom = call.atom
    assert isinstance(atom, UniversalCopyType)
    return load_or_store(conversion, call, atom.bits)


def _universal_atomic(conversion: Conversion, call: CopyCall) -> SSAValue | None:
    atom, build = call.atom, call.build
    assert isinstance(atom, UniversalAtomicType)
    if call.dst is None:
        raise IRError(f"{atom} writes to memory, found a register destination")
    element = storage_type(atom.value_type)
    if isinstance(element, IntegerType):
        element = IntegerType(element.width.data)  # memory has no signs
    value = call.src.load(build, element) if isinstance(call.src, Memory) else first_element(build, call.src)
    attributes: dict[str, Attribute] = {
        "bin_op": IntegerAttr(atomic_kind(atom.op.data, atom.value_type), i64),
        "ordering": IntegerAttr(_MONOTONIC, i64),
    }
    scope = conversion.target.sync_scopes.get(atom.scope, atom.scope)
    if scope:
        attributes["syncscope"] = StringAttr(scope)
    build.raw("llvm.atomicrmw", (call.dst.address(build), value), (value.type,), attributes)
    return None


def _universal_fma(conversion: Conversion, call: MmaCall) -> SSAValue:
    build = call.build
    a, b, c = (first_element(build, value) for value in (call.a, call.b, call.c))
    if isinstance(c.type, AnyFloat):
        if element_bits(c.type) < 16:
            raise IRError(f"{call.atom} has no arithmetic on {c.type}")
        result = build.value(math.FmaOp, (a, b, c), c.type)
    else:
        result = build.add(build.mul(a, b), c)
    return (
        result
        if result.type == call.result
        else build.raw("vector.from_elements", (result,), (call.result,)).results[0]
    )


UNIVERSAL_COPIES: dict[type[CopyOpType], CopyHandler] = {
    UniversalAtomicType: _universal_atomic,
    UniversalCopyType: _universal_copy,
}
UNIVERSAL_MMAS: dict[type[MmaOpType], MmaHandler] = {UniversalFMAType: _universal_fma}
