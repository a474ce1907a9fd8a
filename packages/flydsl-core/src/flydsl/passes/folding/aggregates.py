"""Fields of structs that were just put together."""

from __future__ import annotations

from xdsl.dialects import llvm
from xdsl.ir import Operation, SSAValue


def extracted(op: Operation) -> SSAValue | None:
    """The value that an `llvm.extractvalue` takes out again, where a chain of `llvm.insertvalue` put it in."""
    if type(op) is not llvm.ExtractValueOp or not isinstance(op.container.owner, llvm.InsertValueOp):
        return None
    wanted = tuple(op.position.get_values())
    struct = op.container
    while isinstance(struct.owner, llvm.InsertValueOp):
        inserted = tuple(struct.owner.position.get_values())
        if inserted == wanted:
            return struct.owner.value
        shorter = min(len(inserted), len(wanted))
        if inserted[:shorter] == wanted[:shorter]:  # a part of what is wanted, or around it
            return None
        struct = struct.owner.container
    return None
