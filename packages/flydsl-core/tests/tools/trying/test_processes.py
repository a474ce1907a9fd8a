"""Where files are tried, and processes that end before they say anything."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from flydsl.plugins import register_device_runtime
from flydsl.testing.fakes import fake_runtime
from flydsl.testing.sandbox import PluginSandbox
from flydsl.tools.trying.processes import Place, place_of, report_of


def environment_of(arch: str) -> dict[str, str] | None:
    return {"ACME_SIMULATOR": arch} if arch == "a1" else None


def test_a_chip_that_a_plugin_simulates_runs(isolated_plugins: PluginSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    plugin = ModuleType("acme_simulator")
    plugin.environment_of = environment_of  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, plugin.__name__, plugin)
    word = {"flydsl.runtime.device.simulated": "acme_simulator:environment_of"}
    assert not place_of("acme", "a1", compile_only=False).runs
    register_device_runtime(fake_runtime("simulating", words=word))
    assert place_of("acme", "a1", False) == Place(
        "a1, simulated", True, {"FLYDSL_COMPILE_BACKEND": "acme", "ACME_SIMULATOR": "a1"}
    )
    for place in (place_of("acme", "a1", True), place_of("acme", "b2", False)):
        assert (place.runs, place.environment["COMPILE_ONLY"]) == (False, "1")
    assert place_of(None, "", False) == Place("the active pair", True, {})


@pytest.mark.parametrize(
    ("text", "said"),
    [("import os; os._exit(7)", "the process ended with code 7"), ("while True: pass", "took more than 4 s")],
)
def test_a_process_that_says_nothing_is_told(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "file.py").write_text(text)
    report = report_of(tmp_path / "file.py", None, Place("here", True), 4)
    assert said in report["import"]
    assert report["functions"] == {}
