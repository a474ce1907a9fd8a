"""The pass `cpu-thread-loops`: each kernel becomes a native function that runs all threads of one block."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation

from flydsl.backend.ir import GPUFuncOp
from flydsl.backend.passes import KernelPass
from flydsl.backend.rewriting import erase, operations
from flydsl_cpu.dialect import SHARED_BYTES
from flydsl_cpu.lowering.emission.kernel_abi import KernelEntry, info_global
from flydsl_cpu.lowering.emission.kernel_emitter import KernelEmitter
from flydsl_cpu.lowering.emission.launch_values import lower_launch_values
from flydsl_cpu.lowering.kernels import error_at, kernel_body
from flydsl_cpu.lowering.schedule.block_loops import block_operations
from flydsl_cpu.lowering.schedule.private_memory import hoist_nested
from flydsl_cpu.lowering.schedule.segments import Segments


@dataclass(frozen=True)
class ThreadLoops(KernelPass):
    """Replaces every kernel of a gpu.module by a func.func of the CPU kernel ABI and its `NAME_info` constant."""

    name = "cpu-thread-loops"
    width: str = "16"
    """Numbers of 32 bits in a vector register."""

    def rewrite(self, kernel: Operation) -> None:
        """Put the native function where the kernel is."""
        symbols = kernel.parent
        assert isinstance(kernel, GPUFuncOp)
        assert symbols is not None
        body, entry = kernel_body(kernel), KernelEntry.of(kernel, int(self.width))
        for argument, value in zip(body.args, entry.params, strict=True):
            argument.replace_all_uses_with(value)
        lower_launch_values(body, entry)
        hoist_nested(body, entry.prologue)
        hoisted, uniformity, alone = block_operations(body, entry.shape.known, entry.shape.width)
        segments = Segments(body, hoisted, uniformity, alone)
        per_thread, per_block = KernelEmitter(entry, segments, uniformity).emit(body)
        _reject_unlowered(entry.function)
        symbols.insert_op_before(entry.function, kernel)
        info = (per_thread, _shared_bytes(kernel), per_block, 0)
        symbols.insert_op_before(info_global(kernel.sym_name.data, info), kernel)
        erase(kernel)


def _shared_bytes(kernel: Operation) -> int:
    found = kernel.attributes.get(SHARED_BYTES)
    return found.value.data if isinstance(found, IntegerAttr) else 0


def _reject_unlowered(function: Operation) -> None:
    for op in operations(function):
        if op.name.startswith(("gpu.", "rocdl.", "nvvm.")):
            raise error_at(op, f"{op.name!r} is not supported on the CPU")
