"""The NVIDIA chip of the running trace, and the check that it has the requested function."""

from __future__ import annotations

from flydsl.base.errors import UnsupportedTargetError
from flydsl.expr.tracing.context import current
from flydsl_cuda.target import TARGETS, CudaTarget, target_of

SM80 = frozenset(TARGETS)
SM89 = frozenset(name for name, target in TARGETS.items() if target.capability >= (8, 9))
SM90 = frozenset(name for name, target in TARGETS.items() if target.capability >= (9, 0))
SM90A = frozenset({"sm_90a"})
"""Hopper with the instructions that only it has: warp-group matrix operations."""
REGISTER_BUDGETS = frozenset(name for name in SM90 if name.endswith("a"))
"""Chips on which warps hand registers to one another."""


def chip(name: str) -> CudaTarget:
    """The chip that is traced for; raises when this is no trace for an NVIDIA GPU."""
    target = current().target
    if target.backend != "cuda":
        raise UnsupportedTargetError(
            f"fx.nvvm.{name} needs an NVIDIA GPU, and this is compiled by backend {target.backend!r} "
            f"for {target.arch!r}; guard it with the target, or use backend 'cuda'"
        )
    return target_of(target.arch)


def require(name: str, chips: frozenset[str] = SM80, *, in_kernel: bool = True) -> CudaTarget:
    """The same for a function that only `chips` have, and, unless `in_kernel` is false, only in device code."""
    target = chip(name)
    if target.chip not in chips:
        having = [candidate for candidate in TARGETS if candidate in chips]
        raise UnsupportedTargetError(f"{target.chip} has no fx.nvvm.{name}; chips that have it: {', '.join(having)}")
    if in_kernel:
        current().require_kernel(f"fx.nvvm.{name}")
    return target
