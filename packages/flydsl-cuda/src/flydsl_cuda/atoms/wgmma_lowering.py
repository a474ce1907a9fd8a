"""Lowering of warp-group matrix atoms to PTX: descriptors of what is in shared memory, and tied accumulators."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from flydsl.backend.atoms import MmaOpType
from flydsl.backend.ir import SHARED, AddOffsetOp, MakeViewOp, element_bits
from flydsl.backend.llvm import LLVMBuilder
from flydsl.backend.lowering import AtomField, AtomState, Conversion, Memory, MmaCall, MmaHandler, OperationHandler
from flydsl.backend.value_ranges import constant_of
from flydsl.base.errors import IRError
from flydsl.layout import Layout
from flydsl_cuda.atoms.matrix_descriptor import GRANULE, describe
from flydsl_cuda.atoms.wgmma_types import K_MAJOR, MN_MAJOR, WgmmaType
from flydsl_cuda.atoms.wgmma_types import SHARED as FROM_SHARED
from flydsl_cuda.lowering.assembly import MEMORY, as_registers, assembly, from_registers, tied_assembly
from flydsl_cuda.wgmma_operations import WgmmaCommitOp, WgmmaFenceOp, WgmmaWaitOp

_GRANULES = "bfe.u32 $0, $1, 4, 14;"
"""An address in granules: of a block of a cluster without the block's number, which is above the address. As PTX, or
steps along K would become sums with the address, each of two instructions, instead of sums with the descriptor.
"""


def _wgmma(conversion: Conversion, call: MmaCall) -> SSAValue:
    atom, build = call.atom, call.build
    assert isinstance(atom, WgmmaType)
    descriptor_b = _descriptor(conversion, call, "b")
    is_shared = atom.a_from == FROM_SHARED
    operands_a = [_descriptor(conversion, call, "a")] if is_shared else as_registers(build, call.a)
    accumulators = as_registers(build, call.c)
    count = len(accumulators)
    names = iter(f"${index}" for index in range(2 * count, 2 * count + len(operands_a) + 2))
    parts = [next(names) for _ in operands_a]
    text_a = parts[0] if is_shared else f"{{{', '.join(parts)}}}"
    results = ", ".join(f"${index}" for index in range(count))
    text = (
        f"{{ .reg .pred add; setp.ne.b32 add, ${2 * count + len(operands_a) + 1}, 0; "
        f"{atom.ptx_name()} {{{results}}}, {text_a}, {next(names)}, add{_immediates(atom)}; }}"
    )
    operands = (*_registers_of_a(build, operands_a), descriptor_b, call.state["accumulate"])
    return from_registers(build, tied_assembly(build, text, accumulators, operands), call.c.type)


def _registers_of_a(build: LLVMBuilder, values: list[SSAValue]) -> list[SSAValue]:
    """tf32 is in registers as its bits."""
    return [build.bitcast(value, i32) if str(value.type) == "f32" else value for value in values]


def _immediates(atom: WgmmaType) -> str:
    """Signs of A and B, and for 16-bit elements which of those in shared memory are MN-major."""
    kind = str(atom.a)
    signs = "" if kind == "i8" else ", 1, 1"
    if element_bits(atom.a) != 16:
        return signs
    majors = atom.majors if atom.a_from == FROM_SHARED else atom.majors[1:]
    return signs + "".join(f", {int(major == MN_MAJOR)}" for major in majors)


def _descriptor(conversion: Conversion, call: MmaCall, name: str) -> SSAValue:
    """The descriptor of an operand; of operands that are a constant apart, the same and a sum."""
    atom, memory = call.atom, call.memory[name]
    rows = atom.shape[0] if name == "a" else atom.shape[1]
    place = "ab".index(name)
    element = atom.value_types[place]
    try:
        bits = _description(memory, element, rows, atom.shape[2], k_major=atom.majors[place] == K_MAJOR)
    except IRError as error:
        raise IRError(f"operand {name} of {atom}: {error}") from None
    pointer, distance = _base(conversion, getattr(call.op, name), memory)
    build = call.build
    address = build.value(llvm.PtrToIntOp, (pointer,), i32)
    (granules,) = assembly(build, _GRANULES, [address], [i32], pure=True)
    base = build.bit_or(build.zero_extend(granules, i64), build.constant(_signed(bits), i64))
    distance = distance * element_bits(element) // 8 // GRANULE
    return build.add(base, build.constant(distance, i64)) if distance else base


def _description(memory: Memory, element: Attribute, rows: int, k: int, *, k_major: bool) -> int:
    if memory.type.space != SHARED:
        raise IRError(f"it is read from shared memory, found {memory.type}")
    if memory.type.align % GRANULE:
        raise IRError(f"its memory is aligned to {GRANULE} bytes, found {memory.type.align}")
    if not isinstance(memory.layout, Layout):
        raise IRError(f"it has a plain layout, or one that is swizzled, found {memory.layout}")
    return describe(memory.layout, memory.type.swizzle, element_bits(element), rows, k, k_major=k_major).bits


def _base(conversion: Conversion, view: SSAValue, memory: Memory) -> tuple[SSAValue, int]:
    """The pointer before its constant offset, and that offset in elements, where whole granules lie between."""
    made = view.owner
    moved = made.operands[0].owner if isinstance(made, MakeViewOp) else None
    if not isinstance(moved, AddOffsetOp):
        return memory.pointer, 0
    varying, constant = _split(conversion.offset(moved.offset))
    if constant * element_bits(memory.type.element) % (8 * GRANULE):
        return memory.pointer, 0
    base = conversion.memory(moved.iter)
    if varying is None:
        return base.pointer, constant
    return base.space.add_offset(conversion.build, base.pointer, base.type, varying), constant


def _split(offset: int | SSAValue) -> tuple[SSAValue | None, int]:
    """What varies of an offset, and the constant that is added to it."""
    if isinstance(offset, int):
        return None, offset
    if isinstance(offset.owner, arith.AddiOp) and (constant := constant_of(offset.owner.operands[1])) is not None:
        return offset.owner.operands[0], constant
    return offset, 0


def _signed(bits: int) -> int:
    return bits - (1 << 64) if bits >> 63 else bits


def lower_fence(conversion: Conversion, op: WgmmaFenceOp) -> None:
    """`wgmma.fence`."""
    _instruction(conversion, "wgmma.fence.sync.aligned;")


def lower_commit(conversion: Conversion, op: WgmmaCommitOp) -> None:
    """`wgmma.commit_group`."""
    _instruction(conversion, "wgmma.commit_group.sync.aligned;")


def lower_wait(conversion: Conversion, op: WgmmaWaitOp) -> None:
    """`wgmma.wait_group` with the registers that are read behind it."""
    build = conversion.build
    values = [conversion.value(operand) for operand in op.accumulators]
    registers = [as_registers(build, value) for value in values]
    text = f"wgmma.wait_group.sync.aligned {op.count};"
    flat = [register for group in registers for register in group]
    found = iter(tied_assembly(build, text, flat, clobbers=[MEMORY]))
    results = [
        from_registers(build, [next(found) for _ in group], value.type)
        for group, value in zip(registers, values, strict=True)
    ]
    conversion.define(op, *results)


def _instruction(conversion: Conversion, text: str) -> None:
    assembly(conversion.build, text, clobbers=[MEMORY])


WGMMA_HANDLERS: Mapping[type[MmaOpType], MmaHandler] = {WgmmaType: _wgmma}
WGMMA_STATES: Mapping[type[Attribute], AtomState] = {WgmmaType: (AtomField("accumulate", i32, default=1),)}
WGMMA_OPERATIONS: Mapping[type[Operation], OperationHandler] = {
    WgmmaFenceOp: lower_fence,
    WgmmaCommitOp: lower_commit,
    WgmmaWaitOp: lower_wait,
}
