"""The trial of a backend and a runtime; integration tests run it on devices that compute."""

from __future__ import annotations

import json

import pytest

from flydsl.testing.fake_toolchain import FakeToolchain
from flydsl.testing.fakes import fake_backend
from flydsl.testing.sandbox import PluginSandbox
from flydsl.tools.examine.trial import main, trial


def test_a_kernel_is_compiled(fake_device: FakeToolchain, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fake", ""]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told.keys() == {"compiled"}
    assert told["compiled"].startswith("a kernel for fake1, ")


def test_a_device_that_computes_nothing_is_found_out(fake_device: FakeToolchain) -> None:
    told = trial("fake", "fake")
    assert len(fake_device.launches) == 1
    assert told["failed"].endswith("77 of 77 numbers are wrong, first [0]: 0, not 1")


def test_what_fails_is_told_whatever_it_is(fake_device: FakeToolchain, isolated_plugins: PluginSandbox) -> None:
    isolated_plugins.register(fake_backend("other", factory=dict))
    assert trial("none", "")["failed"].startswith("unknown compile backend 'none'")
    assert "expected a CompileBackend" in trial("other", "")["failed"]
