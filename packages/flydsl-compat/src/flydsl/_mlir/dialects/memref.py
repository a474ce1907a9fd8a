"""What kernels use of MLIR's `memref` dialect, on tensors and pointers of the language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flydsl._mlir.building.unknown import refuse
from flydsl._mlir.building.values import address, type_of
from flydsl.backend.language import current
from flydsl.expr import Pointer, Tensor

_ALLOCATE = "allocate with fx.SharedAllocator().allocate(...) in shared memory, fx.make_rmem_tensor(...) in registers"
_INSTEAD = {
    **dict.fromkeys(("alloc", "AllocOp", "alloca", "AllocaOp", "GetGlobalOp", "get_global", "global_"), _ALLOCATE),
    **dict.fromkeys(
        ("ViewOp", "view", "SubViewOp", "subview", "reinterpret_cast"), "views are fx.make_view and slices"
    ),
}


def extract_aligned_pointer_as_index(source: Tensor | Pointer) -> Any:
    """The address of a tensor or pointer as an Index, in bytes within its address space."""
    emitter = current()
    number = emitter.value("llvm.ptrtoint", [address(source)], type_of("i64"))
    return emitter.box(emitter.value("arith.index_cast", [number], type_of("index")))


def load(memref: Tensor, indices: Sequence[Any]) -> Any:
    """The element of a tensor at `indices`."""
    return memref[_coordinate(indices)]


def store(value: Any, memref: Tensor, indices: Sequence[Any]) -> None:
    """Store an element of a tensor at `indices`."""
    memref[_coordinate(indices)] = value


def __getattr__(name: str) -> Any:
    """What is not here, with what to use instead."""
    refuse(__name__, name, ("extract_aligned_pointer_as_index", "load", "store"), _INSTEAD.get(name, ""))


def _coordinate(indices: Sequence[Any]) -> Any:
    return indices[0] if len(indices) == 1 else tuple(indices)
