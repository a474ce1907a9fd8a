"""The AMD chip of the running trace, and the check that it has the requested function."""

from __future__ import annotations

from flydsl.base.errors import UnsupportedTargetError
from flydsl.expr.tracing.context import current
from flydsl_rocm.target import TARGETS, RocmTarget, target_of

CDNA4 = frozenset({"gfx950"})
CDNA3 = CDNA4 | {"gfx942"}
CDNA = CDNA3 | {"gfx90a"}
RDNA3 = frozenset({"gfx1100", "gfx1101"})
RDNA4 = frozenset({"gfx1200", "gfx1201"})
RDNA = RDNA3 | RDNA4
GFX1250 = frozenset({"gfx1250"})
WAVE32 = RDNA | GFX1250
FP8 = CDNA3 | RDNA4 | GFX1250


def chip(name: str) -> RocmTarget:
    """The chip that is traced for; raises when this is no trace for an AMD GPU."""
    target = current().target
    if target.backend != "rocm":
        raise UnsupportedTargetError(
            f"fx.rocdl.{name} needs an AMD GPU, and this is compiled by backend {target.backend!r} "
            f"for {target.arch!r}; guard it with the target, or use backend 'rocm'"
        )
    return target_of(target.arch)


def require(name: str, chips: frozenset[str] = frozenset(TARGETS), *, in_kernel: bool = True) -> RocmTarget:
    """The same for a function that only `chips` have, and, unless `in_kernel` is false, only in device code."""
    target = chip(name)
    if target.chip not in chips:
        having = [candidate for candidate in TARGETS if candidate in chips]
        raise UnsupportedTargetError(f"{target.chip} has no fx.rocdl.{name}; chips that have it: {', '.join(having)}")
    if in_kernel:
        current().require_kernel(f"fx.rocdl.{name}")
    return target
