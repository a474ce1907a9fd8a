"""Clusters of gfx1250: workgroups that run together, their places, and a barrier for all of them.

A kernel runs in clusters when it is launched with `.launch(..., cluster=(x, y, z))`; else each workgroup is one.
"""

from __future__ import annotations

from flydsl.backend.language import current
from flydsl.expr import AtomicOrdering, Boolean, Int16, Int32, memory_fence
from flydsl_rocm.features import Feature

from .chips import require
from .emit import intrinsic

__all__ = [
    "cluster_barrier",
    "cluster_id",
    "cluster_shape",
    "cluster_signal_once_per_wg",
    "cluster_wait",
    "cluster_workgroup_id",
    "compute_cluster_position",
]

_WORKGROUP, _CLUSTER = -1, -3


def cluster_barrier() -> None:
    """Wait until all threads of the cluster are here; what they wrote to global memory is seen by all of them."""
    require("cluster.cluster_barrier", Feature.CLUSTERS)
    memory_fence(syncscope="cluster", ordering=AtomicOrdering.Release)
    intrinsic("s.cluster.barrier")
    memory_fence(syncscope="cluster", ordering=AtomicOrdering.Acquire)


def cluster_signal_once_per_wg() -> None:
    """The first half of a barrier of the cluster: wait for the threads of this workgroup, and signal for it."""
    from flydsl.backend.language import emit_if  # loads the dialect

    require("cluster.cluster_signal_once_per_wg", Feature.CLUSTERS)
    memory_fence(syncscope="cluster", ordering=AtomicOrdering.Release)
    which = Int32(_WORKGROUP).ir_value()
    first = Boolean.wrap(intrinsic("s.barrier.signal.isfirst", [which], [current().type(Boolean)]))
    _wait(_WORKGROUP)
    emit_if(first, _signal, tuple, ())


def _signal() -> tuple[()]:
    intrinsic("s.barrier.signal", [Int32(_CLUSTER).ir_value()])
    return ()


def cluster_wait() -> None:
    """The second half of a barrier of the cluster: wait until each of its workgroups has signalled."""
    require("cluster.cluster_wait", Feature.CLUSTERS)
    _wait(_CLUSTER)
    memory_fence(syncscope="cluster", ordering=AtomicOrdering.Acquire)


def _wait(barrier: int) -> None:
    intrinsic("s.barrier.wait", [Int16(barrier).ir_value()])


def compute_cluster_position() -> tuple[Int32, Int32]:
    """This workgroup's place in its cluster along x and y."""
    require("cluster.compute_cluster_position", Feature.CLUSTERS)
    return _number("cluster.workgroup.id.x"), _number("cluster.workgroup.id.y")


def cluster_workgroup_id() -> tuple[Int32, Int32, Int32]:
    """This workgroup's place in its cluster."""
    require("cluster.cluster_workgroup_id", Feature.CLUSTERS)
    return _three("cluster.workgroup.id")


def cluster_id() -> tuple[Int32, Int32, Int32]:
    """The cluster's place in the grid, counted in clusters."""
    require("cluster.cluster_id", Feature.CLUSTERS)
    return _three("cluster.id")


def cluster_shape() -> tuple[Int32, Int32, Int32]:
    """How many workgroups a cluster has along each axis."""
    require("cluster.cluster_shape", Feature.CLUSTERS)
    x, y, z = _three("cluster.workgroup.max.id")
    return x + 1, y + 1, z + 1


def _three(name: str) -> tuple[Int32, Int32, Int32]:
    x, y, z = (_number(f"{name}.{axis}") for axis in "xyz")
    return x, y, z


def _number(name: str) -> Int32:
    return Int32.wrap(intrinsic(name, [], [current().type(Int32)]))
