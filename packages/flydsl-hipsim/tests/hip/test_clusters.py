"""Clusters of blocks, which only gfx1250 has."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from flydsl_hipsim.errors import LaunchError


@pytest.mark.parametrize(
    ("chip", "grid", "cluster", "what"),
    [
        ("gfx942", 4, 2, "a cluster of workgroups; gfx942 has none"),
        ("gfx1250", 32, 32, "a cluster of 32 workgroups; gfx1250 has 16"),
        ("gfx1250", (4, 3), (2, 2), "clusters do not divide the grid"),
    ],
)
def test_clusters_that_cannot_be_are_refused(kernels: Any, chip: str, grid: Any, cluster: Any, what: str) -> None:
    arrays = [np.zeros(64, np.uint32), np.zeros(64, np.uint32)]
    with pytest.raises(LaunchError, match=what):
        kernels("control", 1, chip).run("pointers", grid, 64, arrays, cluster=cluster)


def test_a_kernel_that_does_not_look_at_clusters_is_the_same_in_them(kernels: Any) -> None:
    a = np.arange(64, dtype=np.uint32)
    for cluster in (1, 2, (2, 2), (4, 1, 2)):
        found = np.zeros(64, np.uint32)
        kernels("control", 1, "gfx1250").run("pointers", (4, 2, 2), 64, [a, found], cluster=cluster)
        np.testing.assert_array_equal(found, np.where(a & 1, a // 2, a * 2))


def test_the_configuration_of_a_launch_is_as_long_as_the_engine_reads_it() -> None:
    from flydsl_hipsim.native import Launch

    assert ctypes.sizeof(Launch) == 120
