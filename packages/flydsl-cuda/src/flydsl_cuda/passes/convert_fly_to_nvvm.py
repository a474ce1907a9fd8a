"""The pass `convert-fly-to-nvvm`: Fly to upstream dialects and NVVM intrinsics."""

from __future__ import annotations

from dataclasses import dataclass

from flydsl.backend.ir import GENERIC, GLOBAL, REGISTER, SHARED
from flydsl.backend.llvm import raw_operation
from flydsl.backend.lowering import ConvertFlyToLLVM, LoweringTarget, PlainSpace, RegisterSpace, SharedSpace
from flydsl_cuda.atoms.global_copies import GLOBAL_COPIES
from flydsl_cuda.atoms.warp_lowering import WARP_COPIES, WARP_MMA_OPERANDS, WARP_MMAS
from flydsl_cuda.atoms.wgmma_lowering import WGMMA_HANDLERS, WGMMA_OPERATIONS, WGMMA_STATES
from flydsl_cuda.dialect import TENSOR_MAP
from flydsl_cuda.lowering.atomics import ordered_atomic
from flydsl_cuda.lowering.bulk_copies import BULK_HANDLERS


@dataclass(frozen=True)
class ConvertFlyToNvvm(ConvertFlyToLLVM):
    """Fly pointers and atoms of NVIDIA GPUs in the dialects of LLVM; passes around it do the rest (`pipeline.py`)."""

    name = "convert-fly-to-nvvm"

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
