"""A reported error and the code that it is about in, an assertion that the message shows that line out."""

from __future__ import annotations

from pathlib import Path

import pytest


def assert_points_at(error: pytest.ExceptionInfo[BaseException], file: str, code: str) -> None:
    """The message shows `file`, the line with `code`, and a caret under it."""
    text = str(error.value)
    assert f"{Path(file).name}:" in text
    lines = text.splitlines()
    shown = next(i for i, line in enumerate(lines) if code in line)
    assert set(lines[shown + 1].strip()) == {"^"}
    assert lines[shown + 1].index("^") <= lines[shown].index(code) + len(code)
