"""The pass `convert-fly-to-nvvm`: Fly to upstream dialects and NVVM intrinsics."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import gpu
from xdsl.dialects.builtin import ModuleOp

from flydsl.backend.ir import GENERIC, GLOBAL, REGISTER, SHARED
from flydsl.backend.llvm import raw_operation
from flydsl.backend.lowering import ConvertFlyToLLVM, LoweringTarget, PlainSpace, RegisterSpace, SharedSpace
from flydsl.backend.math import make_divisions_total
from flydsl_cuda.atoms.global_copies import GLOBAL_COPIES
from flydsl_cuda.atoms.warp_lowering import WARP_COPIES, WARP_MMA_OPERANDS, WARP_MMAS
from flydsl_cuda.atoms.wgmma_lowering import WGMMA_HANDLERS, WGMMA_OPERATIONS, WGMMA_STATES
from flydsl_cuda.dialect import TENSOR_MAP
from flydsl_cuda.lowering.atomics import ordered_atomic
from flydsl_cuda.lowering.branches_back import hold_branches_back
from flydsl_cuda.lowering.bulk_copies import BULK_HANDLERS
from flydsl_cuda.lowering.kernel_attributes import set_kernel_attributes
from flydsl_cuda.lowering.math_intrinsics import lower_math
from flydsl_cuda.lowering.packed_floats import widen_pairs
from flydsl_cuda.lowering.packed_integers import split_packed_sums
from flydsl_cuda.lowering.parameters import align_parameters
from flydsl_cuda.lowering.shuffles import expand_shuffles
from flydsl_cuda.lowering.tensor_maps import mark_tensor_maps
from flydsl_cuda.lowering.thread_indices import expand_indices
from flydsl_cuda.lowering.wide_conversions import expand_wide_conversions


@dataclass(frozen=True)
class ConvertFlyToNvvm(ConvertFlyToLLVM):
    """Lowers Fly pointers and atoms for NVIDIA GPUs, and states each kernel's launch bounds.

    `registers` is the most that a thread may have, `blocks` the fewest that a multiprocessor has to hold; 0 leaves it
    to the assembler.
    """

    name = "convert-fly-to-nvvm"
    registers: int = 0
    blocks: int = 0

    def lowering_target(self) -> LoweringTarget:
        """Address spaces 0 generic, 1 global, 3 shared; registers that stay in memory are on the stack, in space 0."""
        return LoweringTarget(
            "cuda",
            spaces={
                GENERIC: PlainSpace(0),
                GLOBAL: PlainSpace(1),
                SHARED: SharedSpace(3, 32, linkage="internal"),
                REGISTER: RegisterSpace(0),
                TENSOR_MAP: PlainSpace(0),
            },
            copies={**WARP_COPIES, **GLOBAL_COPIES},
            mmas={**WARP_MMAS, **WGMMA_HANDLERS},
            mma_operands=WARP_MMA_OPERANDS,
            states=WGMMA_STATES,
            operations={raw_operation("llvm.atomicrmw"): ordered_atomic, **BULK_HANDLERS, **WGMMA_OPERATIONS},
            sync_scopes={"system": "", "workgroup": "block", "agent": "device"},
            keeps_nan_signs=False,
        )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Convert kernels and host functions, in place."""
        mark_tensor_maps(op)
        ConvertFlyToLLVM.apply(self, ctx, op)
        for module in op.body.block.ops:
            if not isinstance(module, gpu.ModuleOp):
                continue
            for function in module.body.block.ops:
                if function.name == "gpu.func":
                    make_divisions_total(function)
                    expand_shuffles(function)
                    split_packed_sums(function)
                    expand_wide_conversions(function)
                    widen_pairs(function)
                    expand_indices(function)
                    hold_branches_back(function)
                    set_kernel_attributes(function, int(self.registers), int(self.blocks))
                    align_parameters(function)
        lower_math(ctx, op)
