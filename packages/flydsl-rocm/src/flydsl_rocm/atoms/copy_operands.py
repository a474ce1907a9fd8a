"""Operands of AMD's copy atoms: which memory they must be in, and offsets of buffer tensors."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import SSAValue

from flydsl.backend.ir import GLOBAL, SHARED, element_bits
from flydsl.backend.lowering import CopyCall, Memory, byte_offset
from flydsl.base.errors import IRError
from flydsl_rocm.lowering.buffer_space import BUFFER_POINTER


def is_buffer(memory: Memory) -> bool:
    """Whether accesses go through a buffer resource."""
    return memory.pointer.type == BUFFER_POINTER


def is_global(memory: Memory) -> bool:
    """Whether it is memory of the device, by its address."""
    return memory.type.space == GLOBAL


def is_shared(memory: Memory) -> bool:
    """Whether it is shared memory."""
    return memory.type.space == SHARED


def memories(
    call: CopyCall,
    source: str,
    reads: Callable[[Memory], bool],
    target: str = "shared memory",
    writes: Callable[[Memory], bool] = is_shared,
) -> tuple[Memory, Memory]:
    """Both operands of a copy past the registers, in the memory that the atom needs.

    Raises IRError for others.
    """
    if not isinstance(call.src, Memory) or call.dst is None or not reads(call.src) or not writes(call.dst):
        raise IRError(f"{call.atom} copies {source} to {target}, found {types_of(call)}")
    return call.src, call.dst


def types_of(call: CopyCall) -> str:
    """Source and destination of a call, for messages."""
    dst = call.op.operands[2] if call.dst is not None else None
    target = dst.type if dst is not None else "registers"
    return f"{call.op.operands[1].type} to {target}"


def scalar_bytes(call: CopyCall, memory: Memory) -> SSAValue:
    """The state `soffset`, in elements of the buffer tensor, in bytes."""
    offset = byte_offset(call.build, call.state["soffset"], element_bits(memory.type.element))
    assert isinstance(offset, SSAValue)
    return offset
