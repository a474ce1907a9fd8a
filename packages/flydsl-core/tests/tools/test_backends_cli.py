"""`flydsl backends`."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from flydsl.plugins.entry_points import EntryPoint
from flydsl.plugins.registry import registry
from flydsl.plugins.tables import Slow
from flydsl.testing.fakes import fake_backend, fake_runtime
from flydsl.testing.sandbox import PluginSandbox
from flydsl.tools.backends_cli import main


@pytest.fixture(autouse=True)
def plugins(isolated_plugins: PluginSandbox) -> PluginSandbox:
    broken = EntryPoint("bad", "flydsl-bad", "1.0", "flydsl_no_such")
    isolated_plugins.install(broken, EntryPoint("off", "flydsl-off", "1.0", "x"), disabled=["off"])
    isolated_plugins.register(fake_backend("one", expr_namespaces={"word": "m:a"}), fake_runtime("gone", devices=0))
    isolated_plugins.register(fake_runtime("bust", factory=dict), fake_runtime("sim", simulator=True))
    return isolated_plugins


def test_everything_is_listed_with_its_state(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "one flydsl-one 1.0, runtime kind fake, words word" in lines
    assert "gone flydsl-gone 1.0, kind fake, no device: the fake was made without devices" in lines
    assert "sim flydsl-sim 1.0, kind fake, simulator, 1 device" in lines
    assert any(line.startswith("bust flydsl-bust 1.0, kind fake, fails: PluginFactoryError: ") for line in lines)
    assert "adaptors: none" in lines
    assert any("flydsl-bad 1.0: ModuleNotFoundError" in line for line in lines)
    assert "off disabled by FLYDSL_DISABLE_PLUGINS" in lines


def test_a_plugin_that_took_long_to_load_is_named(plugins: PluginSandbox, capsys: pytest.CaptureFixture[str]) -> None:
    slow = Slow(EntryPoint("dear", "flydsl-dear", "1.0", "x"), 5.25)
    registry.change(lambda tables: replace(tables, slow=(slow,)))
    assert main([]) == 0
    assert "plugin 'dear' of flydsl-dear 1.0 took 5.2 s to load" in capsys.readouterr().out
    assert main(["--json"]) == 0
    assert [row["name"] for row in json.loads(capsys.readouterr().out)["slow"]] == ["dear"]


def test_programs_get_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in found["backends"]] == ["one"]
    assert {row["name"] for row in found["unavailable"]} == {"bad", "off"}
