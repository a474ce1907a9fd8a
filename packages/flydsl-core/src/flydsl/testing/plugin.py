"""The pytest plugin of flydsl-core: fixtures for tests of FlyDSL and of its plugins."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from flydsl.testing.fake_toolchain import FakeToolchain
    from flydsl.testing.sandbox import PluginSandbox

pytest.register_assert_rewrite("flydsl.testing.suite")  # pytest finds no package of a namespace by itself

_CHOOSING = ("FLYDSL_COMPILE_BACKEND", "FLYDSL_COMPILE_ARCH", "ARCH", "FLYDSL_RUNTIME_KIND", "FLYDSL_DISABLE_PLUGINS")


@pytest.fixture
def isolated_plugins(monkeypatch: pytest.MonkeyPatch) -> Iterator[PluginSandbox]:
    """A PluginSandbox, without the settings that choose plugins."""
    from flydsl.testing.sandbox import PluginSandbox  # here: this plugin is loaded in every pytest run

    for variable in _CHOOSING:
        monkeypatch.delenv(variable, raising=False)
    with PluginSandbox() as sandbox:
        yield sandbox


@pytest.fixture
def fake_toolchain() -> Iterator[FakeToolchain]:
    """A FakeToolchain, which is the toolchain of the process during the test."""
    from flydsl.testing.fake_toolchain import FakeToolchain

    with FakeToolchain().installed() as toolchain:
        yield toolchain
