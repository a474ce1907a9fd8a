"""Passes of a backend over its kernels: each is a rewrite of one function, with a name by which pipelines call it.

    @dataclass(frozen=True)
    class TinyFences(KernelPass):
        name = "tiny-fences"

        def rewrite(self, kernel: Operation) -> None:
            for op in operations(kernel, {"gpu.barrier"}):
                ...

The manifest names it: `passes={"tiny-fences": "flydsl_tiny.passes.fences:TinyFences"}`. So `FLYDSL_DUMP_IR` shows the
module behind it, and `fly-opt --tiny-fences` runs it alone. Options of the pipeline's text are fields, which are text.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from flydsl.passes.rewriting import functions

__all__ = ["KernelPass"]


@dataclass(frozen=True)
class KernelPass(ModulePass):
    """A pass over the functions of the device; those of the host stay as they are."""

    @abstractmethod
    def rewrite(self, kernel: Operation) -> None:
        """Change one `gpu.func`, a kernel or what kernels call, in place."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the functions of each `gpu.module`, in order."""
        for function in list(functions(op)):
            if function.name == "gpu.func":
                self.rewrite(function)
