"""Marks of entries from a shared cache, and what they mean under a key."""

from __future__ import annotations

from flydsl.cache.entry import Entry
from flydsl.cache.taken import distrust, marked, unmarked

MADE = Entry({"ir": "add"}, {"name": "add"}, {"device": b"code"})


def test_a_mark_changes_nothing_else() -> None:
    assert unmarked(marked(MADE, "a key")) == MADE
    assert unmarked(MADE) is MADE


def test_with_a_key_only_what_it_signed_counts() -> None:
    assert distrust(MADE, "a key") == ""
    assert distrust(marked(MADE, "a key"), "a key") == ""
    assert distrust(marked(MADE, ""), "") == ""
    assert "without a signature" in distrust(marked(MADE, ""), "a key")
    assert "of another key" in distrust(marked(MADE, "another"), "a key")
