"""Choices that operations take: the dialect knows each by its name."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.expr.tiles import enums
from flydsl.ir.fly import attributes


@pytest.mark.parametrize("name", ["AtomicOp", "CachePolicy", "GemmTraversalOrder", "MmaOperand"])
def test_names_are_those_of_the_dialect(name):
    ours, theirs = getattr(enums, name), getattr(attributes, name)

    def plain(text):
        return text.lower().replace("_", "")

    assert sorted(plain(member.name) for member in ours) == sorted(plain(member.value) for member in theirs)
    assert [member.value for member in ours] == list(range(len(ours)))


def test_they_are_words_of_the_language():
    assert fx.AtomicOp is enums.AtomicOp
    assert fx.GemmTraversalOrder.MNK == enums.GemmTraversalOrder.MNK
