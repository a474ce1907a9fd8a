"""Options that are on or off."""

from __future__ import annotations

import pytest

from flydsl.base.errors import SettingError
from flydsl.passes.switch import switch


@pytest.mark.parametrize(("text", "on"), [("true", True), ("", True), ("false", False)])
def test_a_word_or_nothing_says_whether_an_option_is_on(text: str, on: bool) -> None:
    assert switch("a-pass", "speed", text) is on


@pytest.mark.parametrize("text", ["yes", "1", "True"])
def test_other_words_are_refused(text: str) -> None:
    with pytest.raises(SettingError, match=f"a-pass: speed={text!r} is neither 'true' nor 'false'"):
        switch("a-pass", "speed", text)
