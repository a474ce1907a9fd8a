"""`flydsl conformance`; the runs on real plugins are integration tests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flydsl.base.errors import ArgumentError
from flydsl.testing.fakes import fake_backend
from flydsl.testing.sandbox import PluginSandbox
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
