"""Sharding rules: names of modes, and how inputs and outputs are split alike."""

from __future__ import annotations

import pytest
from jax.sharding import PartitionSpec as P

from flydsl.base.errors import ArgumentError
from flydsl.jax.partition import ShardingRule


def test_a_rule_names_modes():
    rule = ShardingRule.parse("m k, n k -> m n, m")
    assert rule.inputs == (("m", "k"), ("n", "k"))
    assert rule.outputs == (("m", "n"), ("m",))


@pytest.mark.parametrize("text, wanted, inputs, outputs", [
    ("i j, i j -> i j", [("x", None)], [P("x", None)] * 2, [P("x", None)]),
    ("i j, j -> i j", [("x", "y")], [P("x", "y"), P("y")], [P("x", "y")]),
    ("m k, n k -> m n", [("x", ("y", "z"))], [P("x", None), P(("y", "z"), None)], [P("x", ("y", "z"))]),
    ("i j -> i, j", [("x",), ("y",)], [P("x", "y")], [P("x"), P("y")]),
    ("i -> i, i", [(None,), ("x",)], [P("x")], [P("x"), P("x")]),
    ("i j -> j i", [()], [P(None, None)], [P(None, None)]),
])  # fmt: skip
def test_modes_of_one_name_are_split_like_the_outputs(text, wanted, inputs, outputs):
    assert ShardingRule.parse(text).specs(wanted) == (inputs, outputs)


@pytest.mark.parametrize("text", ["", "i j", "i -> j -> k", "i, ... -> i", "(i j) -> i", "1 -> 1"])
def test_other_texts_are_refused(text):
    with pytest.raises(ArgumentError, match="expected names for the modes of each input and output"):
        ShardingRule.parse(text)
