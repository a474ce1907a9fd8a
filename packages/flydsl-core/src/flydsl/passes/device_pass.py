"""Passes over the functions of the device, one at a time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from flydsl.passes.rewriting import functions


@dataclass(frozen=True)
class DevicePass(ModulePass):
    """A pass over the functions of the device, in whichever form they are; those of the host stay as they are."""

    @abstractmethod
    def rewrite(self, kernel: Operation) -> None:
        """Change one function, a kernel or what kernels call, in place."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the functions of each `gpu.module`, in order."""
        for function in list(self._functions(op)):
            self.rewrite(function)

    def _functions(self, module: ModuleOp) -> Iterator[Operation]:
        """Each `gpu.func`, and each `func.func` that a backend made of one."""
        for function in functions(module):
            parent = function.parent_op()
            if function.name == "gpu.func" or (parent is not None and parent.name == "gpu.module"):
                yield function


@dataclass(frozen=True)
class KernelPass(DevicePass):
    """A pass over each `gpu.func`."""

    def _functions(self, module: ModuleOp) -> Iterator[Operation]:
        return (function for function in functions(module) if function.name == "gpu.func")
