"""Launches that the target cannot make, while tracing."""

from __future__ import annotations

import pytest

from flydsl.base.errors import UnsupportedTargetError
from flydsl.base.launch_limits import LaunchLimits
from flydsl.expr.numeric import Int32
from flydsl.expr.values.emitter import TargetInfo
from flydsl.frontend.launch.launch_limits import check_launch

ONE, LIMITED = [Int32(1)] * 3, TargetInfo("none", "none1", 32, limits=LaunchLimits(shared_bytes=100))


def test_a_known_launch_is_held_against_the_target() -> None:
    check_launch(LIMITED, "k", ONE, ONE, 100, None)
    check_launch(TargetInfo("none", "none1", 32), "k", ONE, [Int32(2048), *ONE[1:]], None, None)
    with pytest.raises(
        UnsupportedTargetError, match="kernel 'k': a block of .* of 1024 threads; the target is 'none1'"
    ):
        check_launch(LIMITED, "k", ONE, [Int32(2048), *ONE[1:]], None, None)
    for asked, used in ((101, None), (None, 101)):
        with pytest.raises(UnsupportedTargetError, match="101 bytes of shared memory"):
            check_launch(LIMITED, "k", ONE, ONE, asked, used)
