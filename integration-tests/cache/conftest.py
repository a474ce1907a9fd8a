"""Caches under attack: a kernel for the CPU, its cache folder, what is logged about that; ways of making it stale."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.cached_kernel import counted_compilations

import flydsl.compiler as flyc
from flydsl.base.files import file_digest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def cache(own_choices: None, own_cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty cache folder, and the pair `cpu`; what this process remembers of files is forgotten."""
    monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", "cpu")
    monkeypatch.setenv("FLYDSL_RUNTIME_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(file_digest, "_REMEMBERED", {})
    flyc.use_pair("cpu")
    return tmp_path / "cache"


@pytest.fixture
def compilations() -> Iterator[list[str]]:
    """One name a compilation of the test."""
    with counted_compilations() as made:
        yield made


@pytest.fixture
def warnings(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """What the cache logs."""
    caplog.set_level(logging.WARNING, "flydsl.cache")
    return caplog
