"""What the simulator raises: bad code objects, unsupported instructions, faults of kernels."""

from __future__ import annotations

from flydsl.base.errors import CompileError, RuntimeFailure


class CodeObjectError(CompileError, ValueError):
    """Bytes that are not a code object, or one that the simulator cannot execute."""


class OtherTargetError(CodeObjectError):
    """Code for other chips than the one that is asked for."""


class LaunchError(RuntimeFailure, ValueError):
    """A launch that the kernel or the device does not allow, or arguments that do not fit."""


class KernelFault(RuntimeFailure):
    """A kernel did what it must not: the message has kernel, pc, instruction, lane and address."""
