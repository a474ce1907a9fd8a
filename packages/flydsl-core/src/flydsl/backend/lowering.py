"""The base of every backend's `convert-fly-to-<target>`: Fly lowered to upstream dialects.

A backend's pass subclasses `ConvertFlyToLLVM` with a name and `lowering_target()`, which gives its address spaces and
atoms:

    @dataclass(frozen=True)
    class ConvertFlyToAcme(ConvertFlyToLLVM):
        name = "convert-fly-to-acme"

        def lowering_target(self) -> LoweringTarget:
            return LoweringTarget("acme", spaces={GLOBAL: PlainSpace(1), ...}, copies={AcmeCopyType: acme_copy})
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from flydsl.backend.conversion.atom_calls import ATOM_HANDLERS
from flydsl.backend.conversion.conversion import Conversion, convert_module
from flydsl.backend.conversion.integer_conversions import INTEGER_CONVERSION_HANDLERS
from flydsl.backend.conversion.memory_spaces import (
    PlainSpace,
    RegisterSpace,
    SharedSpace,
    byte_offset,
    check_granule,
    swizzled,
)
from flydsl.backend.conversion.narrow_floats import NARROW_FLOAT_HANDLERS
from flydsl.backend.conversion.pointer_ops import POINTER_HANDLERS
from flydsl.backend.conversion.sync_scopes import SYNC_HANDLERS
from flydsl.backend.conversion.target import (
    AtomField,
    AtomState,
    CopyCall,
    CopyHandler,
    LoweringTarget,
    Memory,
    MemorySpace,
    MmaCall,
    MmaHandler,
    OperandTypes,
    OperationHandler,
)
from flydsl.backend.conversion.universal_atoms import first_element, transfer_type
from flydsl.passes.registers.storage import storage_type

__all__ = [
    "AtomField",
    "AtomState",
    "Conversion",
    "ConvertFlyToLLVM",
    "CopyCall",
    "CopyHandler",
    "LoweringTarget",
    "Memory",
    "MemorySpace",
    "MmaCall",
    "MmaHandler",
    "OperandTypes",
    "OperationHandler",
    "PlainSpace",
    "RegisterSpace",
    "SharedSpace",
    "byte_offset",
    "check_granule",
    "first_element",
    "storage_type",
    "swizzled",
    "transfer_type",
]


HANDLERS = {
    **POINTER_HANDLERS,
    **ATOM_HANDLERS,
    **NARROW_FLOAT_HANDLERS,
    **INTEGER_CONVERSION_HANDLERS,
    **SYNC_HANDLERS,
}


@dataclass(frozen=True)
class ConvertFlyToLLVM(ModulePass):
    """Lowers what the Fly passes leave: pointer operations and atom calls."""

    @abstractmethod
    def lowering_target(self) -> LoweringTarget:
        """Memory spaces, atoms and operations of the target."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Convert kernels, and host functions by the same rules: what a launch hands on keeps its type."""
        convert_module(op, self.lowering_target(), HANDLERS)
