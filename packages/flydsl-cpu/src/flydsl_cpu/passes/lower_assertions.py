"""The pass `cpu-lower-assertions`: traps of kernels as calls of the runtime, which ends the launch with an error.

The first of the rewrites: it asks for thread ids, and takes the prints with the texts of assertions.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import gpu, llvm
from xdsl.dialects.builtin import DenseArrayBase, StringAttr, i8, i32
from xdsl.ir import Operation, SSAValue

from flydsl.backend.llvm import LLVMBuilder, array_type, pointer_type
from flydsl.backend.passes import KernelPass
from flydsl.backend.rewriting import erase, operations
from flydsl_cpu.dialect import BlockOp, StopFunctionOp
from flydsl_cpu.lowering.kernels import declare, kernel_name, start_of

_TRAPPED = "the kernel trapped"


@dataclass(frozen=True)
class LowerAssertions(KernelPass):
    """Calls of `cpu.stop_function` for traps, each with the text that is printed right before."""

    name = "cpu-lower-assertions"

    def rewrite(self, kernel: Operation) -> None:
        """Change one function of the device, in place."""
        traps = operations(kernel, ("llvm.intr.trap",))
        if not traps:
            return
        build = start_of(kernel)
        stop, block = (build.create(kind, (), (pointer_type(),)).results[0] for kind in (StopFunctionOp, BlockOp))
        for i, op in enumerate(traps):
            declare(kernel, _lower(op, f"{kernel_name(kernel)}_assertion_{i}", stop, block))


def _lower(trap: Operation, symbol: str, stop: SSAValue, block: SSAValue) -> Operation:
    text = _taken_text(trap)
    build = LLVMBuilder.before_op(trap)
    thread = [build.integer_cast(_thread_id(build, dim), i32) for dim in "xyz"]
    operands = (stop, block, build.address_of(symbol), *thread)
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
