"""The AMD chip of the running trace, and the check that it has the requested function."""

from __future__ import annotations

from flydsl.backend.language import TargetNamespace
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
_WORDS = TargetNamespace("fx.rocdl", "rocm", "an AMD GPU", tuple(TARGETS))


def chip(name: str) -> RocmTarget:
    """The chip that is traced for; raises when this is no trace for an AMD GPU."""
    return target_of(_WORDS.arch(name))


def require(name: str, chips: frozenset[str] = frozenset(TARGETS), *, in_kernel: bool = True) -> RocmTarget:
    """The same for a function that only `chips` have, and, unless `in_kernel` is false, only in device code."""
    target = chip(name)
    _WORDS.require(name, target.chip, chips, in_kernel=in_kernel)
    return target
