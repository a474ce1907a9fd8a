"""The toy plugin from its sources, in a plugin world of its own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from flydsl.plugins.entry_points import EntryPoint
from flydsl.testing.sandbox import PluginSandbox

ROOT = Path(__file__).parents[1]
sys.path.insert(
    0, str(ROOT / "src")
)  # here, and not in a fixture: the conformance suite reads the plugin's hooks first


@pytest.fixture
def acme(isolated_plugins: PluginSandbox) -> Iterator[PluginSandbox]:
    """Only flydsl-acme is installed."""
    tables = isolated_plugins.install(EntryPoint("acme", "flydsl-acme", "1.0", "flydsl_acme.plugin"))
    assert not tables.quarantined
    yield isolated_plugins
    for name in [name for name in sys.modules if name.startswith("flydsl_acme")]:
        del sys.modules[name]
