"""gfx1250's copies between memory and LDS past the registers: each thread has an address in both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from flydsl_rocm.atoms.copy_types import SizedCopy


class _AsyncCopy(SizedCopy):
    """Counted by ASYNCcnt, and done in order."""

    widths: ClassVar[tuple[int, ...]] = (8, 32, 64, 128)
    from_memory_to_memory: ClassVar[bool] = True


@dataclass(frozen=True, eq=False, repr=False)
class Gfx1250GlobalLoadAsyncLdsType(_AsyncCopy):
    """`!fly_rocdl.gfx1250.global_load_async_lds<128>`: global memory to LDS."""

    name: ClassVar[str] = "fly_rocdl.gfx1250.global_load_async_lds"
    bits: int


@dataclass(frozen=True, eq=False, repr=False)
class Gfx1250GlobalStoreAsyncLdsType(_AsyncCopy):
    """`!fly_rocdl.gfx1250.global_store_async_lds<128>`: LDS to global memory."""

    name: ClassVar[str] = "fly_rocdl.gfx1250.global_store_async_lds"
    bits: int


@dataclass(frozen=True, eq=False, repr=False)
class Gfx1250ClusterLoadAsyncLdsType(_AsyncCopy):
    """`!fly_rocdl.gfx1250.cluster_load_async_lds<128>`: global memory to the LDS of each workgroup of the cluster that
    `workgroup_mask` has a bit for.
    """

    name: ClassVar[str] = "fly_rocdl.gfx1250.cluster_load_async_lds"
    fields: ClassVar[tuple[str, ...]] = ("workgroup_mask",)
    bits: int
