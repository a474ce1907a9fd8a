"""Every test of a combination has a cache folder, a choice of pair and a runtime stack of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from flydsl.testing.sandbox import PluginSandbox

SHARED_CACHE = "KERNEL_TESTS_CACHE"
"""An environment variable."""


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder for one test; or the one that SHARED_CACHE names, so that a run begins with code of another."""
    shared = os.environ.get(SHARED_CACHE)
    folder = Path(shared) if shared else tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("FLYDSL_RUNTIME_CACHE_DIR", str(folder))
    return folder


@pytest.fixture(autouse=True)
def own_choices() -> Iterator[None]:
    """The installed plugins, with nothing chosen yet: tests of several backends run in one process."""
    with PluginSandbox(installed=True):
        yield
