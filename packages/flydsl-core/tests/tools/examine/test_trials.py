"""Trials in processes of their own, and how they may end."""

from __future__ import annotations

import pytest

from flydsl.testing.fakes import fake_backend, fake_runtime
from flydsl.testing.sandbox import PluginSandbox
from flydsl.tools.examine import trials
from flydsl.tools.examine.trials import Told, started, try_all


def test_each_backend_is_tried_with_each_runtime_that_has_a_device(isolated_plugins: PluginSandbox) -> None:
    isolated_plugins.register(fake_backend("one"), fake_backend("two", runtime_kind="other"))
    isolated_plugins.register(fake_runtime("r1"), fake_runtime("r2"), fake_runtime("r3", devices=0))
    asked = []

    def start(backend: object, runtime: object) -> Told:
        asked.append((backend.name, runtime and runtime.name))  # type: ignore[attr-defined]
        return {"compiled": "code", "launched": "numbers"} if runtime else {"compiled": "code"}

    devices = {"r1": True, "r2": True, "r3": False}
    found = [(finding.topic, finding.text) for finding in try_all(isolated_plugins.tables, devices, start)]
    assert sorted(asked, key=str) == [("one", "r1"), ("one", "r2"), ("two", None)]
    assert found == [
        ("compiled", "one: code"),
        ("launched", "one + r1: numbers"),
        ("launched", "one + r2: numbers"),
        ("compiled", "two: code"),
    ]


def test_failures_say_at_which_stage(isolated_plugins: PluginSandbox) -> None:
    isolated_plugins.register(fake_backend("one"), fake_backend("two", runtime_kind="other"), fake_runtime("r1"))
    told = {"one": {"compiled": "code", "failed": "wrong numbers"}, "two": {"failed": "no compiler"}}
    found = [f for f in try_all(isolated_plugins.tables, {"r1": True}, lambda b, _: told[b.name]) if f.is_problem]
    assert [(f.topic, f.text) for f in found] == [
        ("launched", "one + r1: wrong numbers"),
        ("compiled", "two: no compiler"),
    ]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("print('of a driver'); print('{\"compiled\": \"x\"}')", {"compiled": "x"}),
        ("import os; os.kill(os.getpid(), 11)", {"failed": "a trial in a process of its own was ended by SIGSEGV"}),
        (
            "raise SystemExit('out of luck')",
            {"failed": "a trial in a process of its own ended with code 1 and no answer: out of luck"},
        ),
    ],
)
def test_a_process_that_dies_is_a_finding(code: str, expected: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "_PROGRAM", ("-c", code))
    assert started(fake_backend(), None) == expected


def test_a_process_that_hangs_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "_PROGRAM", ("-c", "import time; time.sleep(60)"))
    monkeypatch.setattr(trials, "_SECONDS", 0.2)
    assert "gave no answer within 0.2 s" in started(fake_backend(), None)["failed"]


@pytest.mark.parametrize(("arch", "stays"), [("fake2", True), ("of_another", False)])
def test_settings_that_would_change_the_trial_are_left_out(
    arch: str, stays: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("FLYDSL_COMPILE_BACKEND", "COMPILE_ONLY", "FLYDSL_INTERPRET", "FLYDSL_RUNTIME_KIND", "FLYDSL_COMPILE_ARCH")
    values = ("x", "1", "1", "x", arch)
    for name, value in zip(names, values, strict=True):
        monkeypatch.setenv(name, value)
    code = f"import os, json; print(json.dumps({{name: '' for name in {names!r} if name in os.environ}}))"
    monkeypatch.setattr(trials, "_PROGRAM", ("-c", code))
    assert list(started(fake_backend(), None)) == (["FLYDSL_COMPILE_ARCH"] if stays else [])
