"""The pass `cpu-thread-loops`: each kernel becomes a native function that runs all threads of one block."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import gpu, llvm
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from flydsl.backend.ir import GPUFuncOp
from flydsl.backend.math import make_divisions_total
from flydsl.backend.rewriting import erase, operations
from flydsl_cpu.lowering.assertions import lower_assertions
from flydsl_cpu.lowering.block_loops import block_operations
from flydsl_cpu.lowering.butterflies import Butterflies
from flydsl_cpu.lowering.carried_values import drop_unused_carried
from flydsl_cpu.lowering.exchanges import WARP_SIZE
from flydsl_cpu.lowering.index_operations import expand_index_operations
from flydsl_cpu.lowering.intrinsics import lower_intrinsics
from flydsl_cpu.lowering.kernel_abi import KernelEntry, info_global
from flydsl_cpu.lowering.kernel_emitter import KernelEmitter
from flydsl_cpu.lowering.large_arrays import place_arrays
from flydsl_cpu.lowering.operations import error_at, hoisted_operations
from flydsl_cpu.lowering.prefetches import insert_prefetches
from flydsl_cpu.lowering.prints import lower_prints
from flydsl_cpu.lowering.segments import Segments
from flydsl_cpu.lowering.shared_memory import SharedMemory
from flydsl_cpu.lowering.uniform_results import mark_uniform_results
from flydsl_cpu.lowering.uniformity import Uniformity


@dataclass(frozen=True)
class CpuThreadLoops(ModulePass):
    """Replaces every kernel of a gpu.module by a func.func of the CPU kernel ABI and its `NAME_info` constant."""

    name = "cpu-thread-loops"
    width: str = "16"
    """Numbers of 32 bits in a vector register."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Lower every gpu.module of `op`, in place."""
        for module in list(op.body.block.ops):
            if isinstance(module, gpu.ModuleOp):
                _lower_module(module, int(self.width))


def _lower_module(module: gpu.ModuleOp, width: int) -> None:
    shared = SharedMemory.of(module)
    for kernel in list(module.body.block.ops):
        if isinstance(kernel, GPUFuncOp):
            _lower_kernel(module.body.block, kernel, shared, width)
    shared.erase_globals()


def _lower_kernel(symbols: Block, kernel: GPUFuncOp, shared: SharedMemory, width: int) -> None:
    if len(kernel.regions[0].blocks) != 1:
        raise error_at(
            kernel, f"kernel {kernel.sym_name.data!r} branches between blocks; the CPU backend takes scf only"
        )
    body = kernel.regions[0].block
    entry = KernelEntry.of(kernel, width)
    for argument, value in zip(body.args, entry.params, strict=True):
        argument.replace_all_uses_with(value)
    for text in lower_assertions(body, entry):
        _declare(symbols, text)
    expand_index_operations(body, entry)
    shared_bytes = shared.lower_addresses(body, entry)
    for declared in lower_prints(body):
        _declare(symbols, declared)
    _hoist_nested_allocas(body, entry)
    drop_unused_carried(body)
    mark_uniform_results(body, entry.shape.known)
    butterflies = Butterflies.of(body, entry.shape.waves(WARP_SIZE))
    hoisted, uniformity, alone = block_operations(body, entry.shape.known, width)
    if insert_prefetches(hoisted):
        uniformity = Uniformity(body, hoisted)
    segments = Segments(body, hoisted, uniformity, alone)
    scratch_bytes, between = KernelEmitter(entry, segments, uniformity, butterflies).emit(body)
    placed = place_arrays(entry)
    _reject_unlowered(entry.function)
    make_divisions_total(entry.function)
    lower_intrinsics(entry.function)
    info = (scratch_bytes, shared_bytes, placed.scratch + between, placed.stack)
    symbols.insert_op_before(entry.function, kernel)
    symbols.insert_op_before(info_global(kernel.sym_name.data, info), kernel)
    erase(kernel)


def _hoist_nested_allocas(body: Block, entry: KernelEntry) -> None:
    """Allocations inside barrier-free loops and branches become one buffer at function entry: a loop must not grow the
    stack.
    """
    hoisted = hoisted_operations(body)
    for op in operations(body, (llvm.AllocaOp.name,)):
        if op.parent_block() is not body and op.parent_op() not in hoisted:
            count = op.operands[0].owner
            assert isinstance(count, Operation)
            op.operands[0] = entry.prologue.insert(count.clone()).results[0]
            entry.prologue.move(op)


def _declare(symbols: Block, op: Operation) -> None:
    name = op.properties["sym_name"]
    if all(other.properties.get("sym_name") != name for other in symbols.ops):
        first = symbols.first_op
        assert first is not None
        symbols.insert_op_before(op, first)


def _reject_unlowered(function: Operation) -> None:
    for op in operations(function):
        if op.name.startswith(("gpu.", "rocdl.", "nvvm.")):
            raise error_at(op, f"{op.name!r} is not supported on the CPU")
