"""AMD targets: what code generation must know of an architecture name."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from flydsl.base import settings
from flydsl.base.errors import FlyDSLError, UnsupportedTargetError
from flydsl_rocm.settings import rocm

if TYPE_CHECKING:
    from flydsl_rocm.features import Feature

TRIPLE = "amdgcn-amd-amdhsa"
DEFAULT_ARCH = "gfx942"
"""What is compiled for when no device and no setting says otherwise: MI300."""

_LLVM_FEATURES = ("sramecc", "xnack", "wavefrontsize32", "wavefrontsize64")

Family: TypeAlias = Literal["cdna2", "cdna3", "cdna4", "cdna3-generic", "rdna3", "rdna3-large", "rdna4", "cdna5"]
"""Chips with the same features; `large` ones have half as many registers again."""


class RocmTarget(NamedTuple):
    """One chip, or what a family has in common: a row of `TARGETS`, and what an architecture's name adds to it."""

    chip: str
    wave: int
    lds_bytes: int
    family: Family
    llvm_features: str = ""
    """The state of LLVM's features that the name of the architecture gives."""
    max_cluster: int = 1
    """The most workgroups that a cluster may have."""
    wave_choice: bool = False
    """Whether code for the other wave width can be made as well (RDNA)."""
    chipset: str = ""
    """What MLIR's passes are told where they know no generic targets: a chip that has all of it."""

    @property
    def features(self) -> frozenset[Feature]:
        """What it has: asked by everything that is not the same on all chips."""
        from flydsl_rocm.features import FAMILIES  # a process that finds its code in the cache does not ask

        return FAMILIES[self.family]

    @property
    def fp8(self) -> tuple[str, str]:
        """The 8-bit floats of its matrix instructions: those of the OCP, or without negative zero."""
        from flydsl_rocm.features import Feature

        return ("f8E4M3FNUZ", "f8E5M2FNUZ") if Feature.FNUZ in self.features else ("f8E4M3FN", "f8E5M2")


def _cdna(chip: str, family: Family, kilobytes: int = 64) -> RocmTarget:
    return RocmTarget(chip, 64, kilobytes << 10, family)


def _rdna(chip: str, family: Family) -> RocmTarget:
    return RocmTarget(chip, 32, 64 << 10, family, wave_choice=True)


TARGETS: dict[str, RocmTarget] = {
    target.chip: target
    for target in (
        _cdna("gfx90a", "cdna2"),
        _cdna("gfx942", "cdna3"),
        _cdna("gfx950", "cdna4", 160),
        _cdna("gfx9-4-generic", "cdna3-generic")._replace(chipset="gfx942"),
        _rdna("gfx1100", "rdna3-large"),
        _rdna("gfx1101", "rdna3-large"),
        _rdna("gfx1102", "rdna3"),
        _rdna("gfx1103", "rdna3"),
        _rdna("gfx1150", "rdna3"),
        _rdna("gfx1151", "rdna3-large"),
        _rdna("gfx1152", "rdna3"),
        _rdna("gfx1153", "rdna3"),
        _rdna("gfx1200", "rdna4"),
        _rdna("gfx1201", "rdna4"),
        RocmTarget("gfx1250", 32, 320 << 10, "cdna5", max_cluster=16),
    )
}
"""The chips this backend is made for."""


def target_of(arch: str) -> RocmTarget:
    """The target of a chip name, alone or with features as HIP reports them: `gfx90a:sramecc+:xnack-`.

    `gfx1100:wavefrontsize64+` makes wave64 code for a chip whose waves have 32 threads by default.
    """
    chip, *features = arch.strip().lower().split(":")
    target = TARGETS.get(chip)
    if target is None:
        raise UnsupportedTargetError(f"backend 'rocm' does not know architecture {arch!r}; known: {', '.join(TARGETS)}")
    return _with_features(target, arch, features) if features else target


def is_known(arch: str) -> bool:
    """Whether `target_of` takes it."""
    try:
        target_of(arch)
    except UnsupportedTargetError:
        return False
    return True


def default_arch() -> str:
    """What `forced_arch` says, else the chip of this thread's current device, else DEFAULT_ARCH."""
    return forced_arch() or _current_chip() or DEFAULT_ARCH


def forced_arch() -> str:
    """The setting FLYDSL_GPU_ARCH, or the chip that HSA_OVERRIDE_GFX_VERSION names; else an empty string."""
    if rocm.gpu_arch:
        return rocm.gpu_arch
    version = rocm.gfx_version
    return _chip_of_version(version) if version else ""


def get_rocm_arch() -> str:
    """What code is compiled for now: the chip that is traced for, else FLYDSL_COMPILE_ARCH, else `default_arch`."""
    return _traced_arch().partition(":")[0] or str(settings.compile.arch) or default_arch()


def is_rdna_arch(arch: str | None = None) -> bool:
    """Whether `arch` (by default that of `get_rocm_arch`) is an RDNA chip, which gfx1250 is not."""
    return (arch or get_rocm_arch()).strip().lower().startswith(("gfx10", "gfx11", "gfx120"))


def get_warp_size(arch: str | None = None) -> int:
    """Threads of a wave of `arch`, by default those of what code is compiled for now."""
    wanted = (arch or _traced_arch() or get_rocm_arch()).strip().lower()
    if is_known(wanted):
        return target_of(wanted).wave
    return 32 if wanted.startswith(("gfx10", "gfx11", "gfx12")) else 64


def _traced_arch() -> str:
    """That of the running trace; an empty string outside of one, and when it is for another backend."""
    from flydsl.backend.language import current, is_tracing  # the settings of a target need no language

    target = current().target if is_tracing() else None
    return target.arch if target is not None and target.backend == "rocm" else ""


def _current_chip() -> str:
    """Of the runtime that would run the code, real or simulated; without a device an empty string."""
    from flydsl.plugins import device_runtime, resolve_pair  # here: code is made where no plugin is installed, too

    with suppress(FlyDSLError):
        runtime = device_runtime(resolve_pair("rocm"))
        if runtime.status().available:
            return runtime.device_info(runtime.current_ordinal()).arch
    return ""


def _chip_of_version(version: str) -> str:
    """`9.4.2` is gfx942, `9.0.10` gfx90a, `11.0.0` gfx1100."""
    parts = version.split(".")
    if len(parts) != 3 or not all(part.isdecimal() for part in parts):
        raise UnsupportedTargetError(f"HSA_OVERRIDE_GFX_VERSION is 'major.minor.step', found {version!r}")
    major, minor, step = map(int, parts)
    return f"gfx{major}{minor:x}{step:x}"


def _with_features(target: RocmTarget, arch: str, requested: list[str]) -> RocmTarget:
    features, wave = [], target.wave
    for feature in requested:
        name, sign = feature[:-1], feature[-1:]
        if name not in _LLVM_FEATURES or sign not in ("+", "-"):
            raise UnsupportedTargetError(f"architecture {arch!r} has an unknown feature {feature!r}")
        if name.startswith("wavefrontsize"):
            wave = _wave(target, arch, int(name[-2:]), sign)
            features.append(f"+wavefrontsize{wave}")
        else:
            features.append(f"{sign}{name}")
    return target._replace(llvm_features=",".join(features), wave=wave)


def _wave(target: RocmTarget, arch: str, size: int, sign: str) -> int:
    wave = size if sign == "+" else 96 - size
    if wave != target.wave and not target.wave_choice:
        raise UnsupportedTargetError(f"architecture {arch!r}: waves of {target.chip} have {target.wave} threads")
    return wave
