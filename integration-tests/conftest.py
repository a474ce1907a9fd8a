"""Every test of a combination uses a cache folder of its own, and the pair that its folder is named after."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache folder for one test."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("FLYDSL_RUNTIME_CACHE_DIR", str(folder))
    yield folder
