"""The target that functions of the language ask for, in kernels and outside of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flydsl.expr.tracing.context import current, is_tracing

if TYPE_CHECKING:
    from flydsl.plugins.compile_backend import GPUTarget


def current_target() -> GPUTarget:
    """The target that is traced for; outside of kernels the one that calls compile for."""
    if is_tracing():
        target: GPUTarget = current().target  # type: ignore[assignment]
        return target
    from flydsl.compiler.options.target_options import target_of
    from flydsl.plugins.active.stack import device_runtime

    runtime = device_runtime()
    device = runtime.device_info(runtime.current_ordinal()) if runtime.status().available else None
    return target_of(device=device)
