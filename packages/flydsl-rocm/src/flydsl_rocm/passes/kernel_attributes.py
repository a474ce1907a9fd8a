"""The pass `rocdl-kernel-attributes`: what LLVM is told of a kernel: threads, blocks, occupancy, clusters."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import gpu
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IndexType, IntegerAttr, StringAttr, i32
from xdsl.ir import Attribute, Operation

from flydsl.backend.gpu import dimension_of, known_block_size
from flydsl.backend.passes import KernelPass
from flydsl.backend.rewriting import operations
from flydsl.base.errors import IRError

Size = tuple[int, int, int]

MAX_THREADS = 1024
"""Threads of a workgroup on every target; assumed for kernels whose block size is only known at launch."""

MAX_BLOCKS = (1 << 31) - 1
"""Blocks of a grid in one dimension."""

_WAVES, _GROUP_THREADS = "rocdl.waves_per_eu", "rocdl.flat_work_group_size"
_LOOPS_AND_BLOCKS = ("scf.for", "scf.while", "gpu.block_id")


@dataclass(frozen=True)
class KernelAttributes(KernelPass):
    """Launch bounds and the size of clusters, and the occupancy that hints ask for; 0 asks for nothing."""

    name = "rocdl-kernel-attributes"
    waves_per_eu: int = 0
    most_waves_per_eu: int = 0
    registers: int = 0

    def rewrite(self, kernel: Operation) -> None:
        """Change one function of the device, in place."""
        set_block_bounds(kernel)
        set_launch_bounds(kernel)
        if "gpu.kernel" in kernel.attributes:
            set_occupancy(kernel, *map(int, (self.waves_per_eu, self.most_waves_per_eu, self.registers)))
        set_cluster_attribute(kernel)


def set_launch_bounds(kernel: Operation) -> None:
    """Tell LLVM how many threads a workgroup has: exactly, when the block size is known, else at most 1024."""
    size = known_block_size(kernel)
    if size is None:
        kernel.attributes.setdefault(_GROUP_THREADS, StringAttr(f"1,{MAX_THREADS}"))
        return
    kernel.attributes.pop(_GROUP_THREADS, None)  # a wider one, of a program, would stand beside the exact one
    for name in ("gpu.known_block_size", "known_block_size"):
        kernel.attributes.pop(name, None)
        kernel.properties.pop(name, None)
    kernel.attributes["known_block_size"] = DenseArrayBase.from_list(i32, size)


def set_block_bounds(kernel: Operation) -> None:
    """Tell LLVM that the number of a block is not negative: a grid has less than 2^32 threads in each dimension.

    Not in kernels with loops: knowing it, LLVM gives each access of a loop a pointer of its own, which costs registers
    and 64-bit additions in each iteration.
    """
    found, size = operations(kernel, _LOOPS_AND_BLOCKS), known_block_size(kernel) or (1, 1, 1)
    if all(isinstance(op, gpu.BlockIdOp) for op in found):
        for op in found:
            op.properties["upper_bound"] = IntegerAttr(block_limit(size[dimension_of(op)]), IndexType())


def block_limit(threads: int) -> int:
    """How many blocks of so many threads a dimension can have."""
    return min(MAX_BLOCKS, ((1 << 32) - 1) // threads)


def set_cluster_attribute(kernel: Operation) -> None:
    """`rocdl.cluster_dims`, or the cluster size of a launch, becomes the function attribute that LLVM reads."""
    sizes = [
        kernel.attributes.pop(name, None) or kernel.properties.pop(name, None)
        for name in ("rocdl.cluster_dims", "gpu.known_cluster_size", "known_cluster_size")
    ]
    cluster = next(filter(None, sizes), None)
    if cluster is None:
        return
    if not isinstance(cluster, StringAttr | DenseArrayBase):
        raise IRError(f'rocdl.cluster_dims is a text such as "2,1,1" or an array of three numbers, found {cluster}')
    text = cluster.data if isinstance(cluster, StringAttr) else ",".join(map(str, cluster.get_values()))
    _pass_through(kernel, "amdgpu-cluster-dims", text)


def set_occupancy(kernel: Operation, waves: int, most_waves: int, registers: int) -> None:
    """State how many waves an execution unit is to run, at least and at most, and how many registers a thread may have,
    in place of what the program says; 0 states nothing."""
    if most_waves:
        kernel.attributes.pop(_WAVES, None)
        _pass_through(kernel, "amdgpu-waves-per-eu", f"{waves},{most_waves}")
    elif waves:
        kernel.attributes[_WAVES] = IntegerAttr(waves, i32)
    if registers:
        _pass_through(kernel, "amdgpu-num-vgpr", str(registers))


def _pass_through(kernel: Operation, name: str, value: str) -> None:
    """A function attribute of LLVM, in place of one of the same name."""
    old = kernel.attributes.get("passthrough")
    entries: list[Attribute] = list(old.data) if isinstance(old, ArrayAttr) else []
    others = [entry for entry in entries if not (isinstance(entry, ArrayAttr) and entry.data[0] == StringAttr(name))]
    kernel.attributes["passthrough"] = ArrayAttr([*others, ArrayAttr([StringAttr(name), StringAttr(value)])])
