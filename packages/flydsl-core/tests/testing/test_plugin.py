"""The fixtures of the pytest plugin."""

from __future__ import annotations

import os

import pytest

from flydsl.plugins.registry import registry
from flydsl.testing.fake_toolchain import FakeToolchain
from flydsl.testing.fakes import fake_backend
from flydsl.testing.sandbox import PluginSandbox
from flydsl.toolchain.select import default_toolchain


def test_isolated_plugins_are_none_and_choices_are_forgotten(isolated_plugins: PluginSandbox) -> None:
    assert not registry.tables.backends
    assert not {"FLYDSL_COMPILE_BACKEND", "FLYDSL_COMPILE_ARCH", "FLYDSL_DISABLE_PLUGINS"} & set(os.environ)
    isolated_plugins.register(fake_backend())
    assert list(registry.tables.backends) == ["fake"]


def test_the_sandbox_before_left_nothing(isolated_plugins: PluginSandbox) -> None:
    assert not registry.tables.backends


def test_the_fake_toolchain_is_that_of_the_process(fake_toolchain: FakeToolchain) -> None:
    assert default_toolchain() is fake_toolchain


def test_and_afterwards_it_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FLYDSL_COMPILE_TOOLCHAIN", raising=False)
    assert not isinstance(default_toolchain(), FakeToolchain)
