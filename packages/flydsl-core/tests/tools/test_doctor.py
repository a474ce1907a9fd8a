"""`flydsl doctor`."""

from __future__ import annotations

import json

import pytest

from flydsl.base.errors import ToolchainMissingError
from flydsl.plugins.entry_points import EntryPoint
from flydsl.testing.fakes import fake_backend, fake_runtime
from flydsl.testing.sandbox import PluginSandbox
from flydsl.tools import doctor


def report(capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str]]:
    code = doctor.main([])
    return code, [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]


@pytest.fixture(autouse=True)
def _no_toolchain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "describe_toolchain", lambda: "left out")
    monkeypatch.setattr("flydsl.tools.examine.trials.started", lambda *_: {"compiled": "a kernel"})


def test_a_sound_installation_is_0_and_says_what_was_chosen_and_why(
    isolated_plugins: PluginSandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    isolated_plugins.register(fake_backend("one"), fake_runtime("r1"))
    code, lines = report(capsys)
    assert code == 0, lines
    assert "pair one + r1 (kind fake)" in lines
    assert "backend: the only one installed; runtime: the only one of kind 'fake'" in lines
    assert "target one:fake1:w32" in lines
    assert "device 0: fake 0, fake1, 1024 MiB, waves of 32" in lines


def test_no_device_is_no_problem(isolated_plugins: PluginSandbox, capsys: pytest.CaptureFixture[str]) -> None:
    isolated_plugins.register(fake_backend("one"), fake_runtime("r1", devices=0))
    code, lines = report(capsys)
    assert code == 0
    assert "device none: the fake was made without devices" in lines


@pytest.mark.usefixtures("isolated_plugins")
def test_no_backend_is_a_problem(capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = report(capsys)
    assert code == 1
    assert any(line.startswith("! pair no compile backend is installed") for line in lines)


def test_a_broken_plugin_is_a_problem(isolated_plugins: PluginSandbox, capsys: pytest.CaptureFixture[str]) -> None:
    isolated_plugins.install(EntryPoint("bad", "flydsl-bad", "1.0", "flydsl_no_such"))
    isolated_plugins.register(fake_backend("one"), fake_runtime("r1"))
    code, lines = report(capsys)
    assert code == 1
    assert any("left out: plugin 'bad' of flydsl-bad 1.0: ModuleNotFoundError" in line for line in lines)
    assert "reinstall or upgrade flydsl-bad, or leave it out by FLYDSL_DISABLE_PLUGINS=bad" in lines


def test_what_cannot_be_loaded_is_a_problem(
    isolated_plugins: PluginSandbox, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def incomplete() -> str:
        raise ToolchainMissingError("the native toolchain cannot be loaded: pip install it")

    monkeypatch.setattr(doctor, "describe_toolchain", incomplete)
    isolated_plugins.register(fake_backend("one"), fake_runtime("r1"))
    code, lines = report(capsys)
    assert code == 1
    assert "! toolchain the native toolchain cannot be loaded: pip install it" in lines


def test_a_factory_that_fails_is_a_problem_before_its_first_use(
    isolated_plugins: PluginSandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    isolated_plugins.register(fake_backend("one"), fake_runtime("r1"))
    isolated_plugins.register(fake_backend("two", factory="flydsl_no_such:B"), fake_runtime("r2", factory=dict))
    code, lines = report(capsys)
    assert code == 1
    assert any(line.startswith("! backend CompileBackend 'two' of flydsl-two 1.0: its factory") for line in lines)
    assert any(line.startswith("! runtime DeviceRuntime 'r2' of flydsl-r2 1.0: its factory") for line in lines)


def test_a_trial_that_fails_is_a_problem(
    isolated_plugins: PluginSandbox, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = {"compiled": "a kernel", "failed": "77 of 77 numbers are wrong"}
    monkeypatch.setattr("flydsl.tools.examine.trials.started", lambda *_: told)
    isolated_plugins.register(fake_backend("one"), fake_runtime("r1"))
    code, lines = report(capsys)
    assert code == 1
    assert "! launched one + r1: 77 of 77 numbers are wrong" in lines
    assert doctor.main(["--quick"]) == 0


def test_programs_get_json(isolated_plugins: PluginSandbox, capsys: pytest.CaptureFixture[str]) -> None:
    isolated_plugins.register(fake_backend("one"), fake_runtime("r1"))
    assert doctor.main(["--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["broken"] is False
    assert {"topic": "compiled", "text": "one: a kernel", "problem": False} in found["findings"]


def test_settings_are_shown_and_wrong_ones_are_problems(
    isolated_plugins: PluginSandbox, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    isolated_plugins.register(fake_backend("one"), fake_runtime("r1"))
    monkeypatch.setenv("FLYDSL_COMPILE_OPT_LEVEL", "3")
    monkeypatch.setenv("FLYDSL_DUMP_IR", "perhaps")
    code, lines = report(capsys)
    assert code == 1
    assert "setting compile.opt_level = 3" in lines
    assert any(line.startswith("! setting FLYDSL_DUMP_IR is 'perhaps'") for line in lines)


def test_a_clash_of_distributions_is_a_problem(
    isolated_plugins: PluginSandbox, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    isolated_plugins.register(fake_backend("one"), fake_runtime("r1"))
    monkeypatch.setattr(doctor, "clash", lambda _: "a distribution named 'flydsl' is installed")
    code, lines = report(capsys)
    assert code == 1
    assert "! namespace a distribution named 'flydsl' is installed" in lines
