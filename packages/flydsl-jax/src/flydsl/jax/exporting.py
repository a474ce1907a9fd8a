"""`jax.export` of functions with kernels: the checks to disable."""

from __future__ import annotations

from jax import export

from flydsl.jax.platforms import CALL, CALL_NOGRAPH


def disabled_export_checks() -> list[export.DisabledSafetyCheck]:
    """For `jax.export.export(..., disabled_checks=...)`: the custom calls of kernels, which hold their own code.

    The process that runs the exported function needs this package and the runtime of the platform, and no compiler.
    """
    return [export.DisabledSafetyCheck.custom_call(target) for target in (CALL, CALL_NOGRAPH)]
