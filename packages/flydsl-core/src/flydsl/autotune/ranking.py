"""Candidates on machines without a device: compared by the machine code that they compile to."""

from __future__ import annotations

from collections.abc import Callable

from flydsl.base.errors import CompileError
from flydsl.compiler.modes.collected_calls import collecting_artifacts

SPILL = 8
"""Instructions that a spilled register, or an access to one, counts as."""
UNIT = f"instructions, {SPILL} more a spill (counted, not measured: there is no device)"


def static_cost(call: Callable[[], object]) -> float:
    """Instructions of all kernels that `call` would launch, with spills; it is made once, and launches nothing.

    Loops count once, whatever their length. CompileError when it launches nothing, or the backend reports nothing.
    """
    with collecting_artifacts() as artifacts:
        call()
    if not artifacts:
        raise CompileError("there is no device, and the call has no kernel whose code could be compared")
    reports = [report for artifact in artifacts for report in artifact.report()]
    return float(sum(report.total + SPILL * sum(report.spills.values()) for report in reports))
