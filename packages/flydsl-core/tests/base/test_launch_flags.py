"""The bits of launches do not overlap."""

from __future__ import annotations

from flydsl.base import launch_flags


def test_each_mode_has_a_bit_of_its_own() -> None:
    bits = [launch_flags.LAUNCH_COOPERATIVE, launch_flags.LAUNCH_DEPENDENT]
    assert [bit.bit_count() for bit in bits] == [1, 1]
    assert sum(bits) == bits[0] | bits[1]
