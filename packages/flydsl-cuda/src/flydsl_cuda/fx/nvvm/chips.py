"""The NVIDIA chip of the running trace, and the check that it has the requested function."""

from __future__ import annotations

from flydsl.backend.language import TargetNamespace
from flydsl_cuda.target import TARGETS, CudaTarget, target_of

SM80 = frozenset(TARGETS)
SM89 = frozenset(name for name, target in TARGETS.items() if target.capability >= (8, 9))
SM90 = frozenset(name for name, target in TARGETS.items() if target.capability >= (9, 0))
SM90A = frozenset(name for name, target in TARGETS.items() if target.warp_group_products)
"""Hopper with the instructions that only it has: warp-group matrix operations."""
REGISTER_BUDGETS = frozenset(name for name, target in TARGETS.items() if target.register_budgets)
"""Chips on which warps hand registers to one another."""
_WORDS = TargetNamespace("fx.nvvm", "cuda", "an NVIDIA GPU", tuple(TARGETS))


def chip(name: str) -> CudaTarget:
    """The chip that is traced for; raises when this is no trace for an NVIDIA GPU."""
    return target_of(_WORDS.arch(name))


def require(name: str, chips: frozenset[str] = SM80, *, in_kernel: bool = True) -> CudaTarget:
    """The same for a function that only `chips` have, and, unless `in_kernel` is false, only in device code."""
    target = chip(name)
    _WORDS.require(name, target.chip, chips, in_kernel=in_kernel)
    return target
