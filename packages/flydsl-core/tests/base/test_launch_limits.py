"""Limits of launches."""

from __future__ import annotations

import pytest

from flydsl.base.launch_limits import LaunchLimits

LIMITS = LaunchLimits(1024, (1024, 1024, 64), (1 << 31, 65535, 65535), (1 << 32) - 1, 1000)


@pytest.mark.parametrize(
    ("grid", "block", "shared", "text"),
    [
        ((1, 1, 1), (33, 32, 1), 0, r"a block of \(33, 32, 1\) threads is above the limit of 1024 threads"),
        ((1, 1, 1), (1, 1, 65), 0, "a block has at most 64 threads along z"),
        ((1, None, 65536), (1, 1, 1), None, "a grid has at most 65535 blocks along z, found 65536"),
        ((1 << 30, 1, 1), (64, None, 1), 0, "a grid has at most 4294967295 threads along x"),
        ((1, 1, 1), (1, 1, 1), 1001, "1001 bytes of shared memory are above the limit of 1000 bytes of a block"),
    ],
)
def test_what_is_known_to_be_too_large_is_told(
    grid: tuple[int | None, ...], block: tuple[int | None, ...], shared: int | None, text: str
) -> None:
    import re

    assert re.match(text, LIMITS.exceeded(grid, block, shared) or "")


def test_what_is_not_known_or_not_limited_is_fine() -> None:
    assert LIMITS.exceeded((None, 65535, 1), (None, 1024, 64), None) is None
    assert LaunchLimits().exceeded((1 << 40, 1, 1), (1, 1, 1024), 1 << 30) is None
