"""Choices that operations take: their numbers are fixed, and the dialect knows each by its name."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.expr.tiles import enums
from flydsl.ir.fly import attributes

MEMBERS = {
    "AtomicOp": ["Add", "Max", "Min", "And", "Or", "Inc", "Dec"],
    "CachePolicy": ["CacheGlobal", "CacheAlways"],
    "MmaOperand": ["A", "B", "C", "D"],
    "GemmTraversalOrder": [
        "KMN", "KNM", "MKN", "MNK", "NKM", "NMK",
        "KMN_Serpentine", "KNM_Serpentine", "MKN_Serpentine", "MNK_Serpentine", "NKM_Serpentine", "NMK_Serpentine",
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", MEMBERS)
def test_members_are_numbered_from_zero_in_order(name):
    assert [(member.name, int(member)) for member in getattr(enums, name)] == [
        (member, number) for number, member in enumerate(MEMBERS[name])
    ]


@pytest.mark.parametrize("name", MEMBERS)
def test_the_dialect_has_the_same_choices(name):
    ours, theirs = getattr(enums, name), getattr(attributes, name)
    assert [member.name.lower().replace("_", "") for member in ours] == [
        member.value.replace("_", "") for member in theirs
    ]


@pytest.mark.parametrize("order", list(enums.GemmTraversalOrder))
def test_a_traversal_order_is_the_attribute_of_its_name(emitted, order):
    from flydsl.expr.tracing.context import current

    attribute = emitted(lambda: current().traversal_order(order)).result
    assert str(attribute) == f"#fly<gemm_traversal_order {order.name.lower()}>"


@pytest.mark.parametrize("op", list(enums.AtomicOp))
def test_an_atomic_copy_combines_by_the_attribute_of_its_name(op):
    assert str(fx.UniversalAtomic(op, fx.Int32).ir_type()) == f"!fly.universal_atomic<{op.name.lower()}, i32>"
