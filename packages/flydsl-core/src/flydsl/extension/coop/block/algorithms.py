"""How blocks reduce and scan."""

from __future__ import annotations

from enum import Enum


class BlockReduceAlgorithm(Enum):
    """Algorithms of `BlockReduce`."""

    WARP_REDUCTIONS = "warp_reductions"
    """Each warp reduces, then the results of the warps are combined: one barrier. The default."""
    RAKING = "raking"
    """All values go to shared memory, and the first warp reduces a run of them a lane: two barriers."""
    RAKING_COMMUTATIVE_ONLY = "raking_commutative_only"
    """Not implemented."""
    WARP_REDUCTIONS_NONDETERMINISTIC = "warp_reductions_nondeterministic"
    """Not implemented."""


class BlockScanAlgorithm(Enum):
    """Algorithms of `BlockScan`."""

    WARP_SCANS = "warp_scans"
    """Each warp scans, then follows what the warps before it have: one barrier. The default."""
    RAKING = "raking"
    """All values go to shared memory, and the first warp scans a run of them a lane: two barriers."""
    RAKING_MEMOIZE = "raking_memoize"
    """Not implemented."""
