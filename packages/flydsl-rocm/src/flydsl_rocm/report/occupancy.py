"""Waves that a SIMD unit holds at a time, by registers and by LDS.

The numbers are those of LLVM's AMDGPU back end (`AMDGPUBaseInfo.cpp`) and of the ISA guides: how many registers a SIMD
has, in which steps they are given out, how many waves it holds, and how much LDS the SIMDs share that run a block.
"""

from __future__ import annotations

from dataclasses import dataclass

from flydsl_rocm.features import Feature
from flydsl_rocm.report.metadata import KernelMetadata
from flydsl_rocm.target import RocmTarget

_SIMDS = 4  # of a compute unit, on RDNA of a work-group processor, in whose mode kernels run by default


@dataclass(frozen=True, slots=True)
class Processor:
    """`registers` of a lane of one SIMD, given out in steps of `step`; `lds` bytes for `_SIMDS` SIMDs."""

    registers: int
    step: int
    waves: int
    blocks: int
    lds: int


def processor_of(target: RocmTarget) -> Processor:
    """The processor of a target; the vector registers of a lane count for waves as wide as the target's."""
    if Feature.CDNA in target.features:
        return Processor(512, 8, 8, 16, target.lds_bytes)
    wide = target.wave // 32
    if Feature.CDNA5 in target.features:
        return Processor(1024, 16, 16, 32, target.lds_bytes)
    units = 3 if Feature.REGISTERS_1536 in target.features else 2
    return Processor(512 * units // wide, 8 * units // wide, 16, 32, 2 * target.lds_bytes)


def waves_by_registers(kernel: KernelMetadata, target: RocmTarget) -> int:
    """Waves of a SIMD whose vector registers fit."""
    processor = processor_of(target)
    used = max(processor.step, -(-kernel.vgprs // processor.step) * processor.step)
    return min(processor.waves, processor.registers // used)


def waves_by_lds(kernel: KernelMetadata, target: RocmTarget) -> int:
    """Waves of a SIMD whose blocks' static LDS fits, rounded up where blocks do not fill the SIMDs evenly."""
    processor = processor_of(target)
    waves = -(-kernel.threads // kernel.wave)
    blocks = processor.lds // kernel.lds if kernel.lds else processor.waves * _SIMDS
    if waves > 1:
        blocks = min(blocks, processor.blocks)
    return max(1, min(processor.waves, -(-blocks * waves // _SIMDS)))
