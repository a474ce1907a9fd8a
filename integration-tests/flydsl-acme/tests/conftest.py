"""The toy plugin from its sources, in a plugin world of its own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from flydsl.plugins.entry_points import EntryPoint
from flydsl.testing.sandbox import PluginSandbox

ROOT = Path(__file__).parents[1]


@pytest.fixture
def acme(monkeypatch: pytest.MonkeyPatch, isolated_plugins: PluginSandbox) -> Iterator[PluginSandbox]:
    """Only flydsl-acme is installed."""
    monkeypatch.syspath_prepend(str(ROOT / "src"))
    tables = isolated_plugins.install(EntryPoint("acme", "flydsl-acme", "1.0", "flydsl_acme.plugin"))
    assert not tables.quarantined
    yield isolated_plugins
    for name in [name for name in sys.modules if name.startswith("flydsl_acme")]:
        del sys.modules[name]
