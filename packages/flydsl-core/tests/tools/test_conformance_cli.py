"""`flydsl conformance`; the runs on real plugins are integration tests."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from flydsl.base.errors import ArgumentError
from flydsl.testing.fakes import fake_backend, fake_runtime
from flydsl.testing.sandbox import PluginSandbox
from flydsl.tools import conformance_cli
from flydsl.tools.conformance_cli import main

FILE = """
class ToySuite:
    def test_good(self):
        pass

class TestToy(ToySuite):
    pass
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "test_toy.py").write_text(FILE)
    return tmp_path / "test_toy.py"


def test_a_test_file_is_run_and_its_matrix_is_printed(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--file", str(file)]) == 0
    title, head, row = capsys.readouterr().out.splitlines()
    assert title == str(file)
    assert head.split()[0] == "level"
    assert row.split() == ["L0", "declarations", "toy", "1", "0", "0", "0"]


def test_programs_get_every_result(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--file", str(file), "--json"]) == 0
    (result,) = json.loads(capsys.readouterr().out)["results"]
    assert result == {"name": "test_good", "level": 0, "noun": "toy", "outcome": "passed", "reason": ""}


def test_a_failure_is_1(file: Path) -> None:
    file.write_text(FILE.replace("pass", "raise KeyError", 1))
    assert main(["--file", str(file)]) == 1


def test_mistakes_say_what_to_do(file: Path, isolated_plugins: PluginSandbox) -> None:
    isolated_plugins.register(fake_backend("mine"))
    for words, message in {
        ("mine", "--file", str(file)): "give no BACKEND",
        ("--file", "none.py"): "'none.py' is no file",
        ("mine",): "'mine' was registered by this program: write a test file for it, and use --file",
    }.items():
        with pytest.raises(ArgumentError, match=message):
            main(words)
    for flag in ("--known", "--without"):
        with pytest.raises(SystemExit):
            main(["mine", flag, "without_a_reason"])


PLUGIN = """
from flydsl.plugins import Conformance, hookimpl
from flydsl.testing.fakes import fake_backend, fake_runtime

FACTS = Conformance(
    targets=["fake1", "fake2"], devices=["fake1"], without={"EVENTS": "none yet"}, known={"test_a": "version 2"}
)
OTHERS = Conformance(known={"test_b": "of the runtime"})
WRONG = 3
"""


@pytest.fixture
def facts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module with facts."""
    (tmp_path / "facts_of_mine.py").write_text(PLUGIN)
    monkeypatch.syspath_prepend(tmp_path)
    return "facts_of_mine"


def asked(words: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """What the suite would be asked for."""
    found: list[Any] = []
    monkeypatch.setattr(conformance_cli, "_module_of", lambda table, name: "mine.plugin")
    monkeypatch.setattr(conformance_cli, "_source", lambda calls, known: found.append((calls, known)) or FILE)
    assert main(words) == 0
    return found[0]  # type: ignore[no-any-return]


def test_what_plugins_say_of_themselves_is_used_and_the_command_line_adds_to_it(
    isolated_plugins: PluginSandbox, facts: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    isolated_plugins.register(fake_backend("mine", conformance=f"{facts}:FACTS"))
    isolated_plugins.register(fake_runtime("mine", conformance=f"{facts}:OTHERS"))
    (call,), known = asked(["mine"], monkeypatch)
    assert (call["targets"], call["devices"], call["without"]) == (
        ["fake1", "fake2"],
        ["fake1"],
        {"EVENTS": "none yet"},
    )
    assert known == {"test_a": "version 2", "test_b": "of the runtime"}
    words = ["mine", "--target", "fake3", "--known", "test_a=now", "--without", "X=why"]
    (call,), known = asked(words, monkeypatch)
    assert (call["targets"], call["without"]) == (["fake3"], {"EVENTS": "none yet", "X": "why"})
    assert known["test_a"] == "now"


def test_facts_of_another_type_are_named(isolated_plugins: PluginSandbox, facts: str) -> None:
    isolated_plugins.register(fake_backend("mine", conformance=f"{facts}:WRONG"))
    isolated_plugins.register(fake_runtime("mine"))
    with pytest.raises(
        ArgumentError, match="'facts_of_mine:WRONG', the conformance of 'mine', is 3 and no Conformance"
    ):
        main(["mine"])
