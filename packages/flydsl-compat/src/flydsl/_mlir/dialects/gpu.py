"""The `gpu` dialect of MLIR: the operations of a kernel's threads, and the type of tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flydsl._mlir.building.dialect import lookup, names, star_names
from flydsl._mlir.building.unknown import refuse

if TYPE_CHECKING:
    from xdsl.ir import Attribute

_LAUNCHES = "a kernel is launched as kernel(...).launch(grid=, block=)"
_INSTEAD = {
    **dict.fromkeys(("LaunchOp", "LaunchFuncOp", "launch", "launch_func", "WaitOp", "wait"), _LAUNCHES),
    **dict.fromkeys(("GPUFuncOp", "GPUModuleOp", "ReturnOp", "func", "module"), "decorate a function: @flyc.kernel"),
    **dict.fromkeys(("alloc", "AllocOp", "memcpy", "MemcpyOp"), "use Device.allocate and Buffer of flydsl.runtime"),
}


class AsyncTokenType:
    """The type of a token of enqueued work, `!gpu.async.token`."""

    @staticmethod
    def get() -> Attribute:
        """The type."""
        from xdsl.dialects.gpu import AsyncTokenType as Token

        return Token()


def __getattr__(name: str) -> Any:
    """An operation or enumeration by its name in MLIR's bindings."""
    if name == "__all__":  # of a star import
        return star_names(__dir__())
    found = lookup("gpu", name)
    return found if found is not None else refuse(__name__, name, names("gpu"), _INSTEAD.get(name, ""))


def __dir__() -> list[str]:
    return sorted({*names("gpu"), "AsyncTokenType"})
