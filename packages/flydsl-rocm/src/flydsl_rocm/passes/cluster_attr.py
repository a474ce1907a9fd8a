"""The pass `fly-rocdl-cluster-attr`: cluster sizes of kernels as the function attribute that LLVM reads.

`rocdl-kernel-attributes` does it too: the pass is for kernels that came past it.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from flydsl_rocm.passes.kernel_attributes import set_cluster_attribute

_FUNCTIONS = ("gpu.func", "llvm.func")


@dataclass(frozen=True)
class FlyRocdlClusterAttr(ModulePass):
    """`rocdl.cluster_dims` to a `passthrough` entry `amdgpu-cluster-dims`."""

    name = "fly-rocdl-cluster-attr"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change the functions of the module, in place."""
        for function in op.walk():
            if function.name in _FUNCTIONS:
                set_cluster_attribute(function)
