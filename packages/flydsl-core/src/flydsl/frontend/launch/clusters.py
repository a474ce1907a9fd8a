"""The clusters of a launch: blocks that run together."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from flydsl.base.errors import FrontendError, UnsupportedTargetError
from flydsl.expr.numbers.promotion import known_integer
from flydsl.expr.numeric import Numeric
from flydsl.expr.values.emitter import TargetInfo


def cluster_size(target: TargetInfo, grid: Sequence[Numeric], cluster: Any) -> tuple[int, ...]:
    """Blocks of a cluster along x, y and z; nothing for clusters of one block.

    Raises FrontendError for extents that are not known while tracing or do not divide the grid, and for clusters that
    are larger than the target's; UnsupportedTargetError where it has none.
    """
    given = tuple(cluster) if isinstance(cluster, tuple | list) else () if cluster is None else (cluster,)
    extents = tuple(map(known_integer, given))
    if len(extents) > 3 or not all(isinstance(n, int) and not isinstance(n, bool) and n > 0 for n in extents):
        raise FrontendError(f"cluster is 1 to 3 extents of at least 1, known while tracing, found {cluster!r}")
    size = (*extents, 1, 1, 1)[:3]
    if prod(size) == 1:
        return ()
    if target.max_cluster == 1:
        raise UnsupportedTargetError(
            f"a launch in clusters of {size} blocks, and {target.arch!r} of backend {target.backend!r} has none; "
            "leave cluster out"
        )
    if prod(size) > target.max_cluster:
        raise FrontendError(
            f"clusters of {size} have {prod(size)} blocks; {target.arch!r} has at most {target.max_cluster}"
        )
    for axis, extent, blocks in zip("xyz", size, grid, strict=True):
        if blocks.is_static and blocks.value % extent:
            raise FrontendError(f"clusters of {size} blocks do not divide the grid: {blocks.value} along {axis}")
    return size
