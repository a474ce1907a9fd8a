"""The `llvm` dialect of MLIR: every operation and intrinsic as a class and as a function, enumerations, types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from flydsl._mlir.building.dialect import lookup, names, star_names
from flydsl._mlir.building.unknown import refuse
from flydsl._mlir.building.values import type_of

if TYPE_CHECKING:
    from xdsl.ir import Attribute

_INSTEAD = {
    **dict.fromkeys(("CallOp", "call", "LLVMFuncOp", "func"), "declare an external function: flydsl.expr.extern.ffi"),
    **dict.fromkeys(
        ("GlobalOp", "AddressOfOp", "mlir_addressof"), "shared memory is fx.SharedAllocator().allocate(...)"
    ),
    **dict.fromkeys(("BrOp", "CondBrOp", "SwitchOp", "br", "cond_br"), "write the if, for and while of Python"),
}


class PointerType:
    """The type of addresses, `!llvm.ptr` or `!llvm.ptr<3>`."""

    @staticmethod
    def get(address_space: int | None = None, context: object = None) -> Attribute:
        """The type of addresses in an address space of LLVM, by default the generic one."""
        return type_of(f"!llvm.ptr<{address_space}>" if address_space else "!llvm.ptr")


class StructType:
    """The type of records, `!llvm.struct<(i32, f32)>`."""

    @staticmethod
    def get_literal(elements: Sequence[object], *, packed: bool = False, context: object = None) -> Attribute:
        """The type of records of these element types."""
        from flydsl.backend.ir import StructType as Struct

        return Struct(tuple(map(type_of, elements)), packed)


def __getattr__(name: str) -> Any:
    """An operation or enumeration by its name in MLIR's bindings."""
    if name == "__all__":  # of a star import
        return star_names(__dir__())
    found = lookup("llvm", name)
    return found if found is not None else refuse(__name__, name, __dir__(), _INSTEAD.get(name, ""))


def __dir__() -> list[str]:
    return sorted({*names("llvm"), "PointerType", "StructType"})
