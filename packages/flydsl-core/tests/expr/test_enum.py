"""The enumerations under one name."""

from __future__ import annotations

from enum import Enum

import flydsl.expr as fx
from flydsl.expr import enum


def test_each_is_the_one_of_the_language():
    members = {name: value for name, value in vars(enum).items() if isinstance(value, type) and issubclass(value, Enum)}
    assert {"AtomicOp", "SyncScope", "AddressSpace", "RoundingMode", "ReductionOp"} <= set(members)
    assert all(getattr(fx, name) is value for name, value in members.items() if hasattr(fx, name))
