"""A sandbox leaves no trace."""

from __future__ import annotations

import pytest

from flydsl.plugins import active_pair, claim_runtime, register_backend
from flydsl.plugins.active.selection import choice
from flydsl.plugins.active.stack import has_device_work
from flydsl.plugins.registry import registry
from flydsl.testing.fakes import FakeBackend, fake_backend, fake_runtime
from flydsl.testing.sandbox import PluginSandbox


def test_everything_is_put_back_even_after_an_error() -> None:
    tables, pair, work = registry.tables, choice.pair, has_device_work()
    with pytest.raises(ZeroDivisionError):
        _use_everything_and_fail()
    assert registry.tables is tables
    assert choice.pair is pair
    assert has_device_work() == work


def test_sandboxes_nest() -> None:
    with PluginSandbox() as outer:
        outer.register(fake_backend("outer"))
        with PluginSandbox() as inner:
            assert not inner.tables.backends
        assert list(outer.tables.backends) == ["outer"]


def test_the_fixture_hides_settings_that_choose(
    isolated_plugins: PluginSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    from flydsl.base import settings

    chosen = ((settings.compile, "backend"), (settings.compile, "arch"), (settings.runtime, "kind"))
    assert not any(group.is_set(name) for group, name in (*chosen, (settings.plugins, "disable")))


def _use_everything_and_fail() -> None:
    with PluginSandbox() as sandbox:
        assert not registry.tables.backends
        sandbox.register(fake_backend("one"), fake_runtime())
        assert active_pair().backend.name == "one"
        claim_runtime()
        register_backend("two", FakeBackend)
        _ = 1 / 0
