"""What a launch says to all threads of a block, loaded once at the entry of the native function."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation, SSAValue

from flydsl.backend.gpu import dimension_of
from flydsl.backend.rewriting import operations, replace
from flydsl_cpu.dialect import BlockOp, SharedAddressOp, StopFunctionOp
from flydsl_cpu.lowering.emission.kernel_abi import KernelEntry


def lower_launch_values(body: Block, entry: KernelEntry) -> None:
    """Replace the operations that stand for them in `body`; nothing but thread ids tells threads apart afterwards."""
    for op in operations(body, _VALUES):
        replace(op, [_VALUES[op.name](entry, op)])


_VALUES: dict[str, Callable[[KernelEntry, Operation], SSAValue]] = {
    "gpu.block_id": lambda entry, op: entry.block_id(dimension_of(op)),
    "gpu.block_dim": lambda entry, op: entry.block_dim(dimension_of(op)),
    "gpu.grid_dim": lambda entry, op: entry.grid_dim(dimension_of(op)),
    BlockOp.name: lambda entry, op: entry.block_argument,
    SharedAddressOp.name: lambda entry, op: entry.shared(_offset(op)),
    StopFunctionOp.name: lambda entry, op: entry.stop_function(),
}


def _offset(op: Operation) -> int:
    offset = op.attributes["offset"]
    assert isinstance(offset, IntegerAttr)
    return offset.value.data
