"""The AMD chip of the running trace, and the check that it has the requested function."""

from __future__ import annotations

from flydsl.backend.language import TargetNamespace
from flydsl_rocm.features import Feature, chips_with
from flydsl_rocm.target import TARGETS, RocmTarget, target_of

_WORDS = TargetNamespace("fx.rocdl", "rocm", "an AMD GPU", tuple(TARGETS))


def chip(name: str) -> RocmTarget:
    """The chip that is traced for; raises when this is no trace for an AMD GPU."""
    return target_of(_WORDS.arch(name))


def require(name: str, feature: Feature | None = None, *, in_kernel: bool = True) -> RocmTarget:
    """The same for a function that chips with `feature` have, and, unless `in_kernel` is false, only in device code."""
    return _required(name, None if feature is None else chips_with(feature), in_kernel)


def require_one_of(name: str, chips: frozenset[str]) -> RocmTarget:
    """The same for one that only `chips` have, by LLVM's word for each."""
    return _required(name, chips, in_kernel=True)


def _required(name: str, chips: frozenset[str] | None, in_kernel: bool) -> RocmTarget:
    target = chip(name)
    _WORDS.require(name, target.chip, TARGETS if chips is None else chips, in_kernel=in_kernel)
    return target
