"""The pass `nvvm-kernel-attributes`: NVVM's attributes of kernels, from launch bounds, clusters and hints."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, i32
from xdsl.ir import Attribute, Operation

from flydsl.backend.gpu import known_block_size
from flydsl.backend.passes import KernelPass
from flydsl.backend.rewriting import walk

Size = tuple[int, int, int]

MAX_THREADS = 1024
"""Threads of a block on every chip; assumed for kernels whose block size is only known at launch."""

_BLOCK_REGISTERS, _WARP, _REGISTER_STEP = 64 << 10, 32, 8
"""Registers that a block may have on every chip; a thread of a warp has a multiple of 8."""

_BLOCK = ("known_block_size", "gpu.known_block_size")
_CLUSTER = ("known_cluster_size", "gpu.known_cluster_size")


@dataclass(frozen=True)
class KernelAttributes(KernelPass):
    """Launch bounds and the size of clusters.

    `registers` is the most that a thread may have, `blocks` the fewest that a multiprocessor has to hold; 0 leaves it
    to the assembler.
    """

    name = "nvvm-kernel-attributes"
    registers: int = 0
    blocks: int = 0

    def rewrite(self, kernel: Operation) -> None:
        """Change one function of the device, in place."""
        set_kernel_attributes(kernel, int(self.registers), int(self.blocks))


def set_kernel_attributes(function: Operation, registers: int, blocks: int) -> None:
    """Tell the assembler how many threads a block of a kernel has, so that their registers fit: exactly, when the block
    size is known, else at most 1024."""
    if "gpu.kernel" not in function.attributes:
        return
    block, cluster = known_block_size(function), _size(function, _CLUSTER)
    for name in (*_BLOCK, *_CLUSTER):
        function.attributes.pop(name, None)
        function.properties.pop(name, None)
    if block is None:
        function.attributes["nvvm.maxntid"] = DenseArrayBase.from_list(i32, [MAX_THREADS])
    else:
        function.attributes["nvvm.reqntid"] = DenseArrayBase.from_list(i32, block)
    if cluster is not None:
        function.attributes["nvvm.cluster_dim"] = DenseArrayBase.from_list(i32, cluster)
    if registers:
        most = _most_registers(block) if block is not None else registers
        function.attributes["nvvm.maxnreg"] = IntegerAttr(min(registers, most), i32)
    fewest = blocks or _moves_registers(function)
    if fewest:
        function.attributes["nvvm.minctasm"] = IntegerAttr(int(fewest), i32)


def _most_registers(block: Size) -> int:
    """With more of a thread, such a block would not start."""
    warps = -(-prod(block) // _WARP)
    return max(_BLOCK_REGISTERS // (warps * _WARP) // _REGISTER_STEP * _REGISTER_STEP, _REGISTER_STEP)


def _moves_registers(function: Operation) -> bool:
    """Whether warps hand registers to one another: the assembler needs to know how many there are at the start, which
    it only does of kernels that say how many blocks a multiprocessor holds."""
    return any(type(op) is llvm.InlineAsmOp and "setmaxnreg" in op.asm_string.data for op in walk(function))


def _size(function: Operation, names: tuple[str, ...]) -> Size | None:
    attribute: Attribute | None = next(filter(None, map(function.get_attr_or_prop, names)), None)
    if not isinstance(attribute, DenseArrayBase):
        return None
    x, y, z = (int(number) for number in attribute.get_values())
    return x, y, z
