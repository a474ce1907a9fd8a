"""Atomic read-modify-writes with their memory ordering.

LLVM 22 emits those of NVIDIA GPUs relaxed and for the threads of one device, whatever ordering and scope they state. So
a fence is put before releases and one behind acquires, and what is for the whole system is the instruction itself.
Operations that LLVM makes of compare-and-exchange keep their scope. Additions of 16-bit floats are for one device.
"""

from __future__ import annotations

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import (
    Float32Type,
    Float64Type,
    IntAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from flydsl.backend.llvm import LLVMBuilder
from flydsl.backend.lowering import Conversion
from flydsl_cuda.lowering.assembly import MEMORY, assembly

_MONOTONIC, _ACQUIRE, _RELEASE, _ACQ_REL, _SEQ_CST = 2, 4, 5, 6, 7
_SHARED = 3
_SUB, _FSUB = 2, 12
_INTEGER_NAMES = {0: "exch.b", 1: "add.u", _SUB: "add.u", 3: "and.b", 5: "or.b", 6: "xor.b"} | {
    7: "max.s",
    8: "min.s",
    9: "max.u",
    10: "min.u",
}
_INSTRUCTIONS = {
    **{(kind, f"b{bits}"): f"{name}{bits}" for kind, name in _INTEGER_NAMES.items() for bits in (32, 64)},
    **{(kind, f"f{bits}"): f"add.f{bits}" for kind in (11, _FSUB) for bits in (32, 64)},
    **{(0, f"f{bits}"): f"exch.b{bits}" for bits in (32, 64)},
    (15, "b32"): "inc.u32",
    (16, "b32"): "dec.u32",
}
"""By the number that LLVM's dialect has for an operation, and the register of its value."""
_BEFORE = {_RELEASE: _RELEASE, _ACQ_REL: _RELEASE, _SEQ_CST: _SEQ_CST}
_BEHIND = {_ACQUIRE: _ACQUIRE, _ACQ_REL: _ACQUIRE, _SEQ_CST: _ACQUIRE}


def ordered_atomic(conversion: Conversion, op: Operation) -> None:
    """Put the fences of its ordering around an `llvm.atomicrmw`, which becomes monotonic."""
    fields = op.properties if "ordering" in op.properties else op.attributes
    stated = fields["ordering"]
    assert isinstance(stated, IntegerAttr), stated
    ordering = stated.value.data
    scope = _rename_scope(conversion, op)
    if ordering in _BEFORE:
        _fence(conversion.build, _BEFORE[ordering], scope)
    if ordering in _BEHIND:
        assert op.parent is not None
        _fence(LLVMBuilder(op.parent, op.next_op), _BEHIND[ordering], scope)
    fields["ordering"] = IntegerAttr(min(ordering, _MONOTONIC), i64)
    conversion.keep(op)
    if not scope:
        _for_the_system(conversion, op)


def _for_the_system(conversion: Conversion, op: Operation) -> None:
    """Replace an operation on memory that others than this device may see by the instruction, where it is one."""
    kind, pointer, value = op.get_attr_or_prop("bin_op"), _with_its_space(op.operands[0]), op.operands[1]
    space = pointer.type.addr_space if isinstance(pointer.type, llvm.LLVMPointerType) else None
    number = space.data if isinstance(space, IntAttr) else 0
    assert isinstance(kind, IntegerAttr), kind
    instruction = _INSTRUCTIONS.get((kind.value.data, _letter(value.type)))
    if instruction is None or number == _SHARED:
        return
    build, type_ = conversion.build, value.type
    if kind.value.data == _SUB:
        value = build.sub(build.constant(0, type_), value)  # type: ignore[arg-type]
    elif kind.value.data == _FSUB:
        value = build.value(arith.NegfOp, (value,), type_)
    text = f"atom.relaxed.sys{'.global' if number == 1 else ''}.{instruction} $0, [$1], $2;"
    conversion.replace(op, assembly(build, text, (pointer, value), [type_], clobbers=[MEMORY])[0])


def _with_its_space(pointer: SSAValue) -> SSAValue:
    """What a generic pointer was made of: in assembly LLVM does not find its address space by itself."""
    owner = pointer.owner
    return owner.operands[0] if isinstance(owner, Operation) and owner.name == "llvm.addrspacecast" else pointer


def _letter(type_: Attribute) -> str:
    """The kind of register of a value; empty for those that the instruction does not take."""
    if isinstance(type_, Float32Type | Float64Type):
        return f"f{type_.bitwidth}"
    return f"b{type_.width.data}" if isinstance(type_, IntegerType) and type_.width.data in (32, 64) else ""


def _rename_scope(conversion: Conversion, op: Operation) -> str:
    """The scope in LLVM's words for the target; empty for the whole system."""
    for fields in (op.properties, op.attributes):
        stated = fields.pop("syncscope", None)
        if isinstance(stated, StringAttr):
            scope = conversion.target.sync_scopes.get(stated.data, stated.data)
            if scope:
                fields["syncscope"] = StringAttr(scope)
            return scope
    return ""


def _fence(build: LLVMBuilder, ordering: int, scope: str) -> None:
    attributes: dict[str, Attribute] = {"ordering": IntegerAttr(ordering, i64)}
    if scope:
        attributes["syncscope"] = StringAttr(scope)
    build.raw("llvm.fence", (), (), attributes)
