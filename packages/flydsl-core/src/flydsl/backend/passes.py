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

from flydsl.passes.device_pass import DevicePass, KernelPass

__all__ = ["DevicePass", "KernelPass"]
