"""The enumerations under one name."""

from __future__ import annotations

from enum import Enum

import pytest

import flydsl.expr as fx
from flydsl.expr import arith, enum
from flydsl.expr.memory.address_space import AddressSpace
from flydsl.expr.memory.atomics import AtomicOrdering, SyncScope
from flydsl.expr.numbers.vector import ReductionOp
from flydsl.expr.tiles import enums

ENUMERATIONS = {
    "AddressSpace": AddressSpace,
    "AtomicOp": enums.AtomicOp,
    "AtomicOrdering": AtomicOrdering,
    "CachePolicy": enums.CachePolicy,
    "FastMathFlags": arith.FastMathFlags,
    "GemmTraversalOrder": enums.GemmTraversalOrder,
    "MmaOperand": enums.MmaOperand,
    "ReductionOp": ReductionOp,
    "RoundingMode": arith.RoundingMode,
    "SyncScope": SyncScope,
}


def test_it_has_every_enumeration_and_nothing_else():
    public = {name: value for name, value in vars(enum).items() if not name.startswith("_")}
    assert public == ENUMERATIONS
    assert all(issubclass(value, Enum) for value in public.values())


@pytest.mark.parametrize("name", ENUMERATIONS)
def test_each_is_a_word_of_the_language_too(name):
    assert getattr(fx, name) is getattr(enum, name)
