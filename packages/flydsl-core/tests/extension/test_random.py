"""The path where other programs import random numbers."""

from __future__ import annotations

import flydsl.expr as fx
from flydsl.extension import random


def test_its_names_are_those_of_the_language() -> None:
    assert sorted(random.__all__) == sorted(fx.random.__all__)
    assert all(getattr(random, name) is getattr(fx.random, name) for name in (*random.__all__, "universal"))
    first, *_ = random.randint4x(fx.Uint32(0), fx.Uint32(0))
    assert int(first) & 0xFFFFFFFF == 0x6627E8D5
