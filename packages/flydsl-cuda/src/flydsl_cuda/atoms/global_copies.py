"""Copies between global memory and registers that say what the caches do: their Fly type and their PTX."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

from xdsl.dialects.builtin import VectorType, i32
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from flydsl.backend.atoms import CopyOpType, OneThreadCopy, Reader
from flydsl.backend.ir import GLOBAL
from flydsl.backend.lowering import Conversion, CopyCall, CopyHandler, Memory
from flydsl.base.errors import IRError
from flydsl_cuda.lowering.assembly import MEMORY, as_registers, assembly, from_registers

CACHES = ("no_allocate", "evict_first", "evict_last")
"""What the first cache does with data, in PTX's words."""
SECOND = ("evict_first", "evict_last", "evict_unchanged")
"""What the second cache does with it."""
_USUAL = "evict_normal"
_REGISTER = 32
_POLICY = "{{ .reg .b64 policy; createpolicy.fractional.L2::{}.b64 policy, 1.0; "  # a constant, as the assembler knows


@dataclass(frozen=True, eq=False, repr=False)
class GlobalCopyType(OneThreadCopy):
    """`!fly_nvvm.sm80.global_copy<128>`, `<128, no_allocate>` or `<128, evict_normal, evict_last>`: global memory to
    registers, or back."""

    name: ClassVar[str] = "fly_nvvm.sm80.global_copy"
    bits: int
    cache: str
    second: str = ""

    def verify(self) -> None:
        if self.bits not in (32, 64, 128):
            raise VerifyException(f"{self.name} moves 32, 64 or 128 bits, found {self.bits}")
        if self.cache and self.cache not in CACHES:
            raise VerifyException(f"{self.name} knows {', '.join(CACHES)} of the first cache, found {self.cache!r}")
        if self.second and self.second not in SECOND:
            raise VerifyException(f"{self.name} knows {', '.join(SECOND)} of the second cache, found {self.second!r}")

    def body(self) -> str:
        caches = [self.cache or _USUAL, self.second] if self.second else [self.cache] if self.cache else []
        return ", ".join([str(self.bits), *caches])

    @classmethod
    def read(cls, reader: Reader) -> Self:
        bits = reader.integer("the number of bits")
        cache = reader.word("what the first cache does") if reader.accept(",") else ""
        second = reader.word("what the second cache does") if reader.accept(",") else ""
        return cls(bits, "" if cache == _USUAL else cache, second)


def _global_copy(conversion: Conversion, call: CopyCall) -> SSAValue | None:
    """A load or a store; what it clobbers keeps it between the accesses and barriers around it."""
    atom, build, src, dst = call.atom, call.build, call.src, call.dst
    assert isinstance(atom, GlobalCopyType)
    count = atom.bits // _REGISTER
    type_, width = VectorType(i32, [count]), f".v{count}" if count > 1 else ""
    cache, (before, behind) = f".L1::{atom.cache}" if atom.cache else "", ("", ";")
    if atom.second:
        before, behind = _POLICY.format(atom.second), ", policy; }"
        cache += ".L2::cache_hint"
    reads, writes = (isinstance(side, Memory) and side.type.space == GLOBAL for side in (src, dst))
    if reads == writes:
        target = call.op.operands[2].type if dst is not None else "registers"
        raise IRError(
            f"{atom} copies between global memory and registers, found {call.op.operands[1].type} to {target}"
        )
    if reads:
        assert isinstance(src, Memory)
        text = f"{before}ld.global{cache}{width}.b32 {_registers(0, count)}, [${count}]{behind}"
        parts = assembly(build, text, [src.address(build)], [i32] * count, clobbers=[MEMORY])
        value = from_registers(build, parts, type_)
        if dst is None:
            return build.bitcast(value, call.result or value.type)
        dst.store(build, value)
        return None
    assert dst is not None
    value = src.load(build, type_) if isinstance(src, Memory) else build.bitcast(src, type_)
    text = f"{before}st.global{cache}{width}.b32 [$0], {_registers(1, count)}{behind}"
    assembly(build, text, [dst.address(build), *as_registers(build, value)], clobbers=[MEMORY])
    return None


def _registers(first: int, count: int) -> str:
    names = ", ".join(f"${first + i}" for i in range(count))
    return f"{{{names}}}" if count > 1 else names


GLOBAL_COPIES: Mapping[type[CopyOpType], CopyHandler] = {GlobalCopyType: _global_copy}
