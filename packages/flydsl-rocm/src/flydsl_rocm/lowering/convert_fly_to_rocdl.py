"""The pass `convert-fly-to-rocdl`: Fly to upstream dialects and ROCDL intrinsics."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import gpu
from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.llvm import InlineAsmOp
from xdsl.ir import Operation

from flydsl.backend.dialect import OPERATIONS
from flydsl.backend.ir import GENERIC, GLOBAL, REGISTER, SHARED
from flydsl.backend.lowering import Conversion, ConvertFlyToLLVM, LoweringTarget, PlainSpace, RegisterSpace, SharedSpace
from flydsl.backend.math import make_divisions_total
from flydsl_rocm.atoms.copy_lowering import COPY_HANDLERS, COPY_STATES
from flydsl_rocm.atoms.copy_types import BUFFER_DESC
from flydsl_rocm.atoms.matrix_lowering import MATRIX_HANDLERS, MATRIX_OPERANDS, MATRIX_STATES
from flydsl_rocm.atoms.tdm_lowering import TDM_HANDLERS, TDM_STATES
from flydsl_rocm.atoms.wave_lowering import WAVE_HANDLERS, WAVE_STATES
from flydsl_rocm.dialect import GetBufferRsrcOp
from flydsl_rocm.lowering.addresses import split_addresses
from flydsl_rocm.lowering.async_copies import lower_async_copies
from flydsl_rocm.lowering.barriers import relax_barriers
from flydsl_rocm.lowering.buffer_space import BufferSpace, resource_of
from flydsl_rocm.lowering.kernel_attributes import (
    expand_index_operations,
    set_block_bounds,
    set_cluster_attribute,
    set_launch_bounds,
    set_occupancy,
)
from flydsl_rocm.lowering.math_intrinsics import lower_math
from flydsl_rocm.lowering.packed_floats import pack_subtractions
from flydsl_rocm.lowering.shuffles import NATIVE, expand_shuffles
from flydsl_rocm.lowering.wave_reductions import reduce_in_waves


@dataclass(frozen=True)
class ConvertFlyToRocdl(ConvertFlyToLLVM):
    """Lowers Fly pointers and atoms for AMD GPUs, and states each kernel's launch bounds.

    `shuffles` is one of the ways of `lowering.shuffles`, `offsets` beside a scalar base are unsigned, or `signed`; the
    others are those of `set_occupancy`.
    """

    name = "convert-fly-to-rocdl"
    shuffles: str = NATIVE
    offsets: str = ""
    waves_per_eu: int = 0
    most_waves_per_eu: int = 0
    registers: int = 0

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

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Convert kernels and host functions, in place."""
        ConvertFlyToLLVM.apply(self, ctx, op)
        lower_math(ctx, op)
        for module in op.body.block.ops:
            if not isinstance(module, gpu.ModuleOp):
                continue
            for kernel in module.body.block.ops:
                if kernel.name == "gpu.func":
                    make_divisions_total(kernel)
                    if self.shuffles == NATIVE:
                        reduce_in_waves(kernel)
                        pack_subtractions(kernel)
                    else:
                        relax_barriers(kernel)
                    expand_shuffles(kernel, self.shuffles)
                    lower_async_copies(kernel)
                    expand_index_operations(kernel)
                    split_addresses(kernel, 31 if self.offsets == "signed" else 32)
                    set_block_bounds(kernel)
                    set_launch_bounds(kernel)
                    if "gpu.kernel" in kernel.attributes:
                        set_occupancy(kernel, *map(int, (self.waves_per_eu, self.most_waves_per_eu, self.registers)))
                    set_cluster_attribute(kernel)


def _get_buffer_rsrc(conversion: Conversion, op: GetBufferRsrcOp) -> None:
    conversion.define(op, resource_of(conversion.build, conversion.value(op.ptr)))


def _trap(conversion: Conversion, op: Operation) -> None:
    """The instruction by itself: LLVM 22 leaves 64-bit additions of the block after `llvm.trap` without an encoding."""
    properties = {"asm_string": StringAttr("s_trap 2"), "constraints": StringAttr(""), "has_side_effects": UnitAttr()}
    conversion.build.create(InlineAsmOp, properties=properties)
    conversion.replace(op)
