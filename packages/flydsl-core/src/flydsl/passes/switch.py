"""Options of passes that are on or off."""

from __future__ import annotations

from flydsl.base.errors import SettingError

_TRUTH = {"true": True, "": True, "false": False}
"""What the option's text means; an option without a value is true."""


def switch(name: str, option: str, text: str) -> bool:
    """Whether the option of the pass `name` is on; raises `SettingError` for text that is neither true nor false."""
    if text not in _TRUTH:
        raise SettingError(f"{name}: {option}={text!r} is neither 'true' nor 'false'")
    return _TRUTH[text]
