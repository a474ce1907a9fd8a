"""Offsets of shared-memory globals in a block's shared buffer: static allocations first, dynamic ones after."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import gpu, llvm
from xdsl.ir import Block, SSAValue

from flydsl.backend.llvm import alignment_of, size_of
from flydsl.backend.rewriting import erase, operations
from flydsl_cpu.lowering.kernel_abi import KernelEntry
from flydsl_cpu.lowering.operations import error_at

SHARED_MARK = "flydsl.shared"
"""The attribute that makes an `llvm.mlir.global` a piece of each block's shared memory."""

_BUFFER_ALIGNMENT = 16384
"""What the start of the buffer is a multiple of: enough for a swizzle that permutes 128 rows of 128 bytes."""

_DYNAMIC_ALIGNMENT = 1024


@dataclass(frozen=True, slots=True)
class SharedMemory:
    """The marked globals of one module; those of size 0 are dynamic and share one address."""

    globals: dict[str, llvm.GlobalOp]

    @classmethod
    def of(cls, module: gpu.ModuleOp) -> SharedMemory:
        """The globals of `module` that live in shared memory."""
        found = (op for op in module.body.block.ops if isinstance(op, llvm.GlobalOp))
        return cls({op.sym_name.data: op for op in found if SHARED_MARK in op.attributes})

    def lower_addresses(self, body: Block, entry: KernelEntry) -> int:
        """Replace the addresses taken in `body`; the static bytes that this kernel uses."""
        users: dict[str, list[llvm.AddressOfOp]] = {}
        for op in operations(body, (llvm.AddressOfOp.name,)):
            assert isinstance(op, llvm.AddressOfOp)
            if op.global_name.root_reference.data in self.globals:
                users.setdefault(op.global_name.root_reference.data, []).append(op)
        offset = 0
        dynamic = [name for name in users if size_of(self.globals[name].global_type) == 0]
        for name in (name for name in users if name not in dynamic):
            offset = _align(offset, _alignment(self.globals[name]))
            _replace(users[name], entry.shared(offset))
            offset += size_of(self.globals[name].global_type)
        if dynamic:
            offset = _align(offset, _DYNAMIC_ALIGNMENT)
            for name in dynamic:
                _replace(users[name], entry.shared(offset))
        return offset

    def erase_globals(self) -> None:
        """Remove the globals, which no kernel uses any more."""
        for op in self.globals.values():
            erase(op)


def _replace(users: list[llvm.AddressOfOp], address: SSAValue) -> None:
    for op in users:
        op.results[0].replace_all_uses_with(address)
        erase(op)


def _alignment(op: llvm.GlobalOp) -> int:
    declared = op.alignment.value.data if op.alignment is not None else 0
    if declared > _BUFFER_ALIGNMENT:
        raise error_at(
            op, f"shared memory is aligned to {_BUFFER_ALIGNMENT} bytes on the CPU, and {declared} were asked for"
        )
    return max(declared, alignment_of(op.global_type))


def _align(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple
