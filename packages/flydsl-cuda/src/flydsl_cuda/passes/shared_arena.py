"""The pass `nvvm-shared-arena`: the shared memory of large kernels, as parts of one dynamic block.

What a kernel allocates while compiling may be 48 KB; more has to be dynamic. Every allocation of a kernel with more
gets a place in a block at the start of dynamic memory, and memory that the launch asks for follows. How large the block
is stands among the attributes of the gpu.module; the runtime adds it to what a launch asks for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import gpu, llvm
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, ModuleOp, StringAttr, i8, i64
from xdsl.ir import Block, Operation, Region
from xdsl.passes import ModulePass

from flydsl.backend.ir import get_location
from flydsl.backend.llvm import LLVMBuilder, array_type
from flydsl.backend.rewriting import erase, replace, walk
from flydsl.base.errors import CompileError
from flydsl_cuda.code_object import SHARED_BLOCKS

SHARED_SPACE = 3
STATIC_LIMIT = 48 << 10
DYNAMIC = "__dynamic_shared_0"
_DYNAMIC_ALIGNMENT = 16


@dataclass(frozen=True)
class NvvmSharedArena(ModulePass):
    """Move the shared allocations of kernels that have more than `static` bytes; `limit` is the most of the chip."""

    name: ClassVar[str] = "nvvm-shared-arena"
    limit: int = 227 << 10
    static: int = STATIC_LIMIT

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for module in op.body.block.ops:
            if isinstance(module, gpu.ModuleOp):
                self._convert(module)

    def _convert(self, module: gpu.ModuleOp) -> None:
        block = module.body.block
        movable = _movable(block)
        sizes: dict[str, int] = {}
        for kernel in _kernels(block):
            if found := _Arena(kernel, movable).moved(int(self.static), int(self.limit)):
                sizes[_symbol(kernel)] = found
        if not sizes:
            return
        alignment = max(_alignment(allocation) for allocation in movable.values())
        _declare_dynamic(block, alignment)
        used = {use.global_name.root_reference.data for use in _addresses(block.ops)}
        for name, allocation in movable.items():
            if name not in used:
                erase(allocation)
        module.attributes[SHARED_BLOCKS] = ArrayAttr([StringAttr(f"{name}={size}") for name, size in sizes.items()])


class _Arena:
    """The allocations of one kernel, and where each is in its block."""

    def __init__(self, kernel: Operation, movable: dict[str, llvm.GlobalOp]) -> None:
        self._kernel, self._uses = kernel, list(_addresses([kernel]))
        names = dict.fromkeys(use.global_name.root_reference.data for use in self._uses)
        own = [(name, movable[name]) for name in names if name in movable]
        self._offsets: dict[str, int] = {}
        end = 0
        for name, allocation in sorted(own, key=lambda item: -_alignment(item[1])):
            start = _rounded(end, _alignment(allocation))
            self._offsets[name] = start
            end = start + _size(allocation)
        self._end = end

    def moved(self, static: int, limit: int) -> int:
        """Give the allocations their places if they are too large for static memory; the size of the block, or 0."""
        if self._end <= static:
            return 0
        if self._end > limit:
            name = _symbol(self._kernel)
            raise CompileError(
                f"kernel {name!r} allocates {self._end} bytes of shared memory, and the chip has at most {limit} for "
                "a block; use smaller tiles or fewer stages",
                kernel=name,
                location=get_location(self._kernel),
            )
        size = _rounded(self._end, _DYNAMIC_ALIGNMENT)
        for use in self._uses:
            name = use.global_name.root_reference.data
            offset = size if name == DYNAMIC else self._offsets.get(name)
            if offset is not None:
                build = LLVMBuilder.before_op(use)
                replace(use, [build.gep(build.address_of(DYNAMIC, SHARED_SPACE), (offset,), i8)])
        return size


def _kernels(block: Block) -> Iterator[Operation]:
    return (op for op in block.ops if op.name == "gpu.func" and "gpu.kernel" in op.attributes)


def _movable(block: Block) -> dict[str, llvm.GlobalOp]:
    """The allocations that only kernels use."""
    others = [op for op in block.ops if op.regions and "gpu.kernel" not in op.attributes]
    kept = {use.global_name.root_reference.data for use in _addresses(others)}
    return {
        op.sym_name.data: op
        for op in block.ops
        if isinstance(op, llvm.GlobalOp)
        and op.addr_space.value.data == SHARED_SPACE
        and op.sym_name.data not in kept
        and _size(op)
    }


def _addresses(operations: Iterable[Operation]) -> Iterator[llvm.AddressOfOp]:
    for operation in operations:
        for op in walk(operation):
            if type(op) is llvm.AddressOfOp:
                yield op


def _declare_dynamic(block: Block, alignment: int) -> None:
    """The symbol of dynamic memory, aligned as its parts are."""
    for op in block.ops:
        if isinstance(op, llvm.GlobalOp) and op.sym_name.data == DYNAMIC:
            op.properties["alignment"] = IntegerAttr(max(alignment, _alignment(op)), i64)
            return
    first = block.first_op
    assert first is not None
    block.insert_op_before(
        llvm.GlobalOp(
            array_type(0, i8),
            DYNAMIC,
            "external",
            addr_space=SHARED_SPACE,
            dso_local=True,
            alignment=max(alignment, _DYNAMIC_ALIGNMENT),
            body=Region(),
        ),
        first,
    )


def _size(allocation: llvm.GlobalOp) -> int:
    type_ = allocation.global_type
    return type_.size.data if isinstance(type_, llvm.LLVMArrayType) else 0


def _alignment(allocation: llvm.GlobalOp) -> int:
    found = allocation.alignment
    return found.value.data if found is not None else 1


def _symbol(op: Operation) -> str:
    name = op.get_attr_or_prop("sym_name")
    assert isinstance(name, StringAttr)
    return name.data


def _rounded(number: int, step: int) -> int:
    return -(-number // step) * step
