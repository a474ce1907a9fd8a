"""The pass `cpu-lower-shared-memory`: offsets in a block's shared buffer for shared-memory globals.

Static allocations are first, dynamic ones after.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Operation, SSAValue

from flydsl.backend.llvm import LLVMBuilder, alignment_of, pointer_type, size_of
from flydsl.backend.passes import KernelPass
from flydsl.backend.rewriting import erase, operations, replace
from flydsl_cpu.dialect import SHARED_BYTES, SHARED_MARK, SharedAddressOp
from flydsl_cpu.lowering.kernels import error_at, start_of

_BUFFER_ALIGNMENT = 16384
"""What the start of the buffer is a multiple of: enough for a swizzle that permutes 128 rows of 128 bytes."""

_DYNAMIC_ALIGNMENT = 1024


@dataclass(frozen=True)
class LowerSharedMemory(KernelPass):
    """Addresses of the block's buffer for those of marked globals; globals of size 0 are dynamic and share one."""

    name = "cpu-lower-shared-memory"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the kernels, and remove the globals, which none uses any more."""
        super().apply(ctx, op)
        for found in operations(op, (llvm.GlobalOp.name,)):
            if SHARED_MARK in found.attributes:
                erase(found)

    def rewrite(self, kernel: Operation) -> None:
        """Change one function of the device, in place."""
        users = _users(kernel)
        if not users:
            return
        offsets, size = _layout(users)
        build = start_of(kernel)
        addresses = {found: _address(build, offset) for found, offset in offsets.items()}
        for found, ops in users.items():  # afterwards: the first of them may be where new operations go
            for op in ops:
                replace(op, [addresses[found]])
        kernel.attributes[SHARED_BYTES] = IntegerAttr(size, i64)


def _users(kernel: Operation) -> dict[llvm.GlobalOp, list[llvm.AddressOfOp]]:
    """The marked globals that a kernel uses, with where it takes their addresses."""
    taken = operations(kernel, (llvm.AddressOfOp.name,))
    symbols = kernel.parent
    if not taken or symbols is None:
        return {}
    marked = {
        op.sym_name.data: op for op in symbols.ops if isinstance(op, llvm.GlobalOp) and SHARED_MARK in op.attributes
    }
    users: dict[llvm.GlobalOp, list[llvm.AddressOfOp]] = {}
    for op in taken:
        assert isinstance(op, llvm.AddressOfOp)
        if (found := marked.get(op.global_name.root_reference.data)) is not None:
            users.setdefault(found, []).append(op)
    return users


def _address(build: LLVMBuilder, offset: int) -> SSAValue:
    attributes = {"offset": IntegerAttr(offset, i64)}
    return build.create(SharedAddressOp, (), (pointer_type(),), attributes=attributes).results[0]


def _layout(found: Iterable[llvm.GlobalOp]) -> tuple[dict[llvm.GlobalOp, int], int]:
    """The offset of each global, and the bytes of those that are static."""
    dynamic = [op for op in found if size_of(op.global_type) == 0]
    offsets: dict[llvm.GlobalOp, int] = {}
    end = 0
    for op in (op for op in found if op not in dynamic):
        offsets[op] = _align(end, _alignment(op))
        end = offsets[op] + size_of(op.global_type)
    if dynamic:
        end = _align(end, _DYNAMIC_ALIGNMENT)
    return {**offsets, **dict.fromkeys(dynamic, end)}, end


def _alignment(op: llvm.GlobalOp) -> int:
    declared = op.alignment.value.data if op.alignment is not None else 0
    if declared > _BUFFER_ALIGNMENT:
        raise error_at(
            op, f"shared memory is aligned to {_BUFFER_ALIGNMENT} bytes on the CPU, and {declared} were asked for"
        )
    return max(declared, alignment_of(op.global_type))


def _align(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple
