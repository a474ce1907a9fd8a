"""The pass `convert-fly-to-rocdl`: Fly to upstream dialects and ROCDL intrinsics."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import StringAttr, UnitAttr
from xdsl.dialects.llvm import InlineAsmOp
from xdsl.ir import Operation

from flydsl.backend.dialect import OPERATIONS
from flydsl.backend.ir import GENERIC, GLOBAL, REGISTER, SHARED
from flydsl.backend.lowering import Conversion, ConvertFlyToLLVM, LoweringTarget, PlainSpace, RegisterSpace, SharedSpace
from flydsl_rocm.atoms.copy_lowering import COPY_HANDLERS, COPY_STATES
from flydsl_rocm.atoms.copy_types import BUFFER_DESC
from flydsl_rocm.atoms.matrix_lowering import MATRIX_HANDLERS, MATRIX_OPERANDS, MATRIX_STATES
from flydsl_rocm.atoms.tdm_lowering import TDM_HANDLERS, TDM_STATES
from flydsl_rocm.atoms.wave_lowering import WAVE_HANDLERS, WAVE_STATES
from flydsl_rocm.dialect import GetBufferRsrcOp
from flydsl_rocm.lowering.buffer_space import BufferSpace, resource_of


@dataclass(frozen=True)
class ConvertFlyToRocdl(ConvertFlyToLLVM):
    """Fly pointers and atoms of AMD GPUs in the dialects of LLVM; the passes behind it do the rest (`pipeline.py`)."""

    name = "convert-fly-to-rocdl"

    def lowering_target(self) -> LoweringTarget:
        """Address spaces 0 generic, 1 global, 3 LDS, 5 private; buffer pointers; AMD's copy and matrix atoms."""
        return LoweringTarget(
            "rocm",
            spaces={
                GENERIC: PlainSpace(0),
                GLOBAL: PlainSpace(1),
                SHARED: SharedSpace(3, 32),
                REGISTER: RegisterSpace(5, 32),
                BUFFER_DESC: BufferSpace(),
            },
            copies={**COPY_HANDLERS, **TDM_HANDLERS, **WAVE_HANDLERS},
            mmas=MATRIX_HANDLERS,
            mma_operands=MATRIX_OPERANDS,
            states={**COPY_STATES, **TDM_STATES, **WAVE_STATES, **MATRIX_STATES},
            operations={GetBufferRsrcOp: _get_buffer_rsrc, OPERATIONS["llvm.intr.trap"]: _trap},
            sync_scopes={"system": ""},
        )


def _get_buffer_rsrc(conversion: Conversion, op: GetBufferRsrcOp) -> None:
    conversion.define(op, resource_of(conversion.build, conversion.value(op.ptr)))


def _trap(conversion: Conversion, op: Operation) -> None:
    """The instruction by itself: LLVM 22 leaves 64-bit additions of the block after `llvm.trap` without an encoding."""
    properties = {"asm_string": StringAttr("s_trap 2"), "constraints": StringAttr(""), "has_side_effects": UnitAttr()}
    conversion.build.create(InlineAsmOp, properties=properties)
    conversion.replace(op)
