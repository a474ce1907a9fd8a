"""Clusters of blocks, which run at once and reach each other's shared memory, and grids that follow one another.

A kernel runs in clusters when it is launched with `.launch(..., cluster=(x, y, z))`; else each block is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flydsl.backend.language import current
from flydsl.expr import Int32

from .chips import SM90, require
from .emit import SharedMemory, instruction, int32, intrinsic, number, shared_address

if TYPE_CHECKING:
    from flydsl.backend.language import IntLike

__all__ = [
    "cluster_arrive",
    "cluster_rank",
    "cluster_size",
    "cluster_sync",
    "cluster_wait",
    "griddep_launch",
    "griddep_wait",
    "mapa",
]


def cluster_rank() -> Int32:
    """The number of this block in its cluster."""
    return _register("cluster_rank", "cluster.ctarank")


def cluster_size() -> Int32:
    """How many blocks the cluster has."""
    return _register("cluster_size", "cluster.nctarank")


def cluster_arrive(*, relaxed: bool = False) -> None:
    """The first half of a barrier of all threads of the cluster: what this thread wrote before is seen behind it.

    The threads of a warp arrive together.

    `relaxed`: nothing is, and nobody waits for writes to end. Enough where the copy engine moves the data.
    """
    require("cluster_arrive", SM90)
    instruction(f"barrier.cluster.arrive{'.relaxed' if relaxed else ''}.aligned;")


def cluster_wait() -> None:
    """The second half: wait until all threads of the cluster have arrived."""
    require("cluster_wait", SM90)
    instruction("barrier.cluster.wait.aligned;")


def cluster_sync() -> None:
    """Wait until all threads of the cluster are here."""
    require("cluster_sync", SM90)
    cluster_arrive()
    cluster_wait()


def mapa(memory: SharedMemory, rank: IntLike) -> Int32:
    """The address, for instructions on the shared memory of a cluster, that `memory` has in the block `rank` of it."""
    require("mapa", SM90)
    address = shared_address("mapa", memory)
    return number("mapa.shared::cluster.u32 $0, $1, $2;", address, int32("mapa", "rank", rank))


def griddep_wait() -> None:
    """Wait until the grids that this one depends on have ended; what they wrote is seen from then on."""
    require("griddep_wait", SM90)
    instruction("griddepcontrol.wait;")


def griddep_launch() -> None:
    """Let the grids that depend on this one start, once all blocks have come here or ended."""
    require("griddep_launch", SM90)
    instruction("griddepcontrol.launch_dependents;")


def _register(name: str, register: str) -> Int32:
    require(name, SM90)
    return Int32.wrap(intrinsic(f"read.ptx.sreg.{register}", [], [current().type(Int32)]))
