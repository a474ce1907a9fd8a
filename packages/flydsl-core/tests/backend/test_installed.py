"""What plugins may ask about others: which backends there are, what the program registered, and the pair anew."""

from __future__ import annotations

import pytest

from flydsl.backend.installed import backend_names, renew_pair, requested_runtime, runtime_manifest
from flydsl.plugins import active_pair, register_device_runtime
from flydsl.testing.fakes import fake_backend, fake_runtime
from flydsl.testing.sandbox import PluginSandbox


@pytest.fixture(autouse=True)
def plugins(isolated_plugins: PluginSandbox) -> PluginSandbox:
    isolated_plugins.register(fake_backend("two", runtime_kind="k"), fake_backend("one", runtime_kind="k"))
    isolated_plugins.register(fake_runtime("r", kind="k"))
    return isolated_plugins


def test_backends_are_named_in_order() -> None:
    assert backend_names() == ("one", "two")


def test_a_runtime_is_requested_when_the_program_registers_it() -> None:
    manifest = runtime_manifest("r")
    assert manifest is not None
    assert (manifest.kind, requested_runtime("k")) == ("k", None)
    register_device_runtime(manifest)
    assert requested_runtime("k") == "r"
    assert runtime_manifest("missing") is None


def test_a_renewed_pair_is_equal_and_another_object(monkeypatch: pytest.MonkeyPatch) -> None:
    renew_pair()  # none was chosen: nothing happens
    monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", "two")
    before = active_pair()
    renew_pair()
    assert active_pair() == before
    assert active_pair() is not before
