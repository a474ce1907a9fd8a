"""The settings under their public name."""

from __future__ import annotations

import pytest

from flydsl.base import settings
from flydsl.utils import env


def test_each_group_is_that_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [getattr(env, name) is getattr(settings, name) for name in env.__all__] == [True] * len(env.__all__)
    monkeypatch.setenv("FLYDSL_COMPILE_OPT_LEVEL", "1")
    assert env.compile.opt_level == 1
