"""How much shared memory (LDS) a workgroup may use on each chip."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from flydsl.base.errors import UnsupportedTargetError
from flydsl_rocm.target import TARGETS, get_rocm_arch

SMEM_CAPACITY_MAP: Mapping[str, int] = MappingProxyType({name: target.lds_bytes for name, target in TARGETS.items()})
"""Bytes by architecture."""


def check_smem_capacity(nbytes: int, arch: str | None = None) -> None:
    """Raise UnsupportedTargetError, a RuntimeError, when a workgroup of `arch` has less than `nbytes`.

    `arch` is by default what code is compiled for now. Of a chip that is not known nothing is said.
    """
    chip = (arch or get_rocm_arch()).strip().lower().partition(":")[0]
    capacity = SMEM_CAPACITY_MAP.get(chip)
    if capacity is not None and nbytes > capacity:
        raise UnsupportedTargetError(
            f"{nbytes} bytes of shared memory are asked for, and a workgroup of {chip} has {capacity}; "
            "use smaller tiles or fewer stages"
        )
