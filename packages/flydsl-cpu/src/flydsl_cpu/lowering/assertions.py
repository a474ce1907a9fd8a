"""Assertions of kernels on the CPU: one that does not hold calls the runtime, which ends the launch with an error."""

from __future__ import annotations

from xdsl.dialects import gpu, llvm
from xdsl.dialects.builtin import DenseArrayBase, StringAttr, i8, i32
from xdsl.ir import Block, Operation, SSAValue

from flydsl.backend.ir import GPUFuncOp
from flydsl.backend.llvm import LLVMBuilder, array_type
from flydsl.backend.rewriting import erase, operations
from flydsl_cpu.lowering.kernel_abi import KernelEntry

_TRAPPED = "the kernel trapped"


def lower_assertions(body: Block, entry: KernelEntry) -> list[Operation]:
    """Replace the traps in `body`, each with the print of its text; the constants that its module needs."""
    traps = operations(body, ("llvm.intr.trap",))
    if not traps:
        return []
    kernel = body.parent_op()
    assert isinstance(kernel, GPUFuncOp)
    prefix, stop = kernel.sym_name.data, entry.stop_function()
    return [_lower(op, f"{prefix}_assertion_{i}", entry, stop) for i, op in enumerate(traps)]


def _lower(trap: Operation, symbol: str, entry: KernelEntry, stop: SSAValue) -> Operation:
    text = _taken_text(trap)
    build = LLVMBuilder.before_op(trap)
    thread = [build.integer_cast(_thread_id(build, dim), i32) for dim in "xyz"]
    operands = (stop, entry.block_argument, build.address_of(symbol), *thread)
    sizes = {
        "op_bundle_sizes": DenseArrayBase.from_list(i32, []),
        "operandSegmentSizes": DenseArrayBase.from_list(i32, [len(operands), 0]),
    }
    build.create(llvm.CallOp, operands, (), properties=sizes)
    erase(trap)
    data = text.encode() + b"\0"
    return llvm.GlobalOp(array_type(len(data), i8), symbol, "internal", constant=True, value=StringAttr(text + "\0"))


def _taken_text(trap: Operation) -> str:
    """The text that is printed right before the trap, and is not printed any more."""
    before = trap.prev_op
    if before is None or before.name != "gpu.printf" or before.operands:
        return _TRAPPED
    text = before.properties.get("format") or before.attributes.get("format")
    assert isinstance(text, StringAttr), "gpu.printf has no format"
    erase(before)
    return text.data.replace("%%", "%").rstrip("\n")


def _thread_id(build: LLVMBuilder, dim: str) -> SSAValue:
    return build.insert(gpu.ThreadIdOp(gpu.DimensionAttr(gpu.DimensionEnum(dim)))).results[0]
