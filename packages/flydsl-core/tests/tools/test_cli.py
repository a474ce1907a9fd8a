"""`flydsl COMMAND`."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from flydsl.base.errors import NoBackendError
from flydsl.base.references import is_reference
from flydsl.tools import cli


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A subcommand `probe`, in a module of its own."""
    module = ModuleType("probe_cli")
    monkeypatch.setitem(sys.modules, "probe_cli", module)
    monkeypatch.setitem(cli.COMMANDS, "probe", ("probe_cli:main", "probe"))
    return module


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    text = capsys.readouterr().out
    assert all(f"  {name}" in text for name in cli.COMMANDS)
    assert all(is_reference(target) for target, _ in cli.COMMANDS.values())


def test_the_words_of_the_cache_are_commands_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    _, words = cli.COMMANDS["cache"][1].split(": ")
    for word in words.split(", "):
        with pytest.raises(SystemExit) as end:
            cli.main(["cache", word, "--help"])
        assert end.value.code == 0


@pytest.mark.parametrize("words", [[], ["nonsense"]])
def test_a_wrong_command_line_is_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(words) == 2


@pytest.mark.parametrize("result, code", [(None, 0), (0, 0), (3, 3)])
def test_a_subcommand_gets_the_rest_and_gives_the_exit_code(result: int | None, code: int, command: ModuleType) -> None:
    got: list[list[str]] = []
    command.main = lambda words: got.append(words) or result  # type: ignore[attr-defined, func-returns-value]
    assert cli.main(["probe", "a", "--b"]) == code
    assert got == [["a", "--b"]]


def test_an_error_of_ours_is_one_message(
    command: ModuleType, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def main(words: list[str]) -> int:
        raise NoBackendError("nothing installed")

    command.main = main  # type: ignore[attr-defined]
    assert cli.main(["probe"]) == 1
    assert capsys.readouterr().err == "flydsl probe: nothing installed\n"
    monkeypatch.setenv("FLYDSL_DEBUG_SHOW_STACKTRACE", "1")
    with pytest.raises(NoBackendError):
        cli.main(["probe"])
