"""Capabilities: declared with a reason, asked for by tests."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from flydsl.testing.capabilities import Capabilities, Capability, requires


class Subject:
    """What a suite looks like to a test."""

    def __init__(self, **missing: str) -> None:
        self.bench = SimpleNamespace(capabilities=Capabilities(missing))

    @requires(Capability.DEVICE, Capability.TIMING)
    def test(self, value: Any) -> Any:
        """What a test is."""
        return value


def test_a_test_runs_when_all_is_there() -> None:
    assert Subject().test(3) == 3
    assert Subject(disassembly="not written yet").test(3) == 3


def test_a_test_is_skipped_with_the_declared_reasons() -> None:
    with pytest.raises(pytest.skip.Exception) as skipped:
        Subject(timing="no clock", device="it is at sea").test(3)
    assert str(skipped.value) == "no device: it is at sea; no timing: no clock"


def test_an_unknown_word_lists_the_known_ones() -> None:
    with pytest.raises(ValueError, match="unknown capability 'devices', known: several_targets, .*device"):
        Capabilities({"devices": "a typing error"})


@pytest.mark.parametrize("reason", ["", "  ", None])
def test_a_capability_is_not_missing_without_a_reason(reason: Any) -> None:
    with pytest.raises(ValueError, match="'timing' is missing without a reason"):
        Capabilities({"timing": reason})


def test_the_first_reason_stays() -> None:
    declared = Capabilities({"device": "declared"}).without(Capability.DEVICE, "found out")
    assert declared.missing["device"] == "declared"
    assert not declared.has(Capability.DEVICE)
    assert declared.has(Capability.EXECUTION)
