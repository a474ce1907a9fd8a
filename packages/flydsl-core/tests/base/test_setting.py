"""Variables in, typed values out."""

from __future__ import annotations

from pathlib import Path

import pytest

from flydsl.base.errors import SettingError
from flydsl.base.setting import Group, choice, flag, integer, names, path, text


class Example(Group):
    """One setting of each kind."""

    word = text("X_WORD", "X_OLD_WORD", default="none", lower=True, meaning="a word")
    on = flag("X_ON", meaning="a switch")
    level = integer("X_LEVEL", default=2, low=0, high=3, meaning="a level")
    color = choice("X_COLOR", "RED", "GREEN", default="RED", meaning="a color")
    parts = names("X_PARTS", meaning="a list")
    folder = path("X_FOLDER", default=lambda: None, meaning="a folder")


def test_unset_and_blank_variables_give_defaults() -> None:
    for environ in ({}, dict.fromkeys(("X_WORD", "X_ON", "X_LEVEL", "X_COLOR", "X_PARTS", "X_FOLDER"), "  ")):
        found = Example(environ)
        values = (found.word, found.on, found.level, found.color, found.parts, found.folder)
        assert values == ("none", False, 2, "RED", (), None)


def test_the_first_variable_that_is_set_wins() -> None:
    assert Example({"X_OLD_WORD": "Old"}).word == "old"
    assert Example({"X_OLD_WORD": "old", "X_WORD": "NEW"}).word == "new"


@pytest.mark.parametrize("raw, value", [("1", True), ("True", True), ("ON", True), ("0", False), ("no", False)])
def test_a_flag_takes_the_usual_words(raw: str, value: bool) -> None:
    assert Example({"X_ON": raw}).on is value


def test_lists_and_paths_are_cleaned() -> None:
    assert Example({"X_PARTS": " a, b ,,c"}).parts == ("a", "b", "c")
    assert Example({"X_FOLDER": "~/there"}).folder == Path.home() / "there"


@pytest.mark.parametrize(
    "variable, raw, expected",
    [
        ("X_ON", "maybe", "one of 1, true"),
        ("X_LEVEL", "4", "an integer from 0 to 3"),
        ("X_LEVEL", "high", "an integer from 0 to 3"),
        ("X_COLOR", "blue", "one of RED, GREEN"),
    ],
)
def test_a_wrong_value_names_variable_value_and_what_is_expected(variable: str, raw: str, expected: str) -> None:
    found = Example({variable: raw})
    with pytest.raises(SettingError, match=rf"^{variable} is '{raw}', expected {expected}"):
        _ = (found.on, found.level, found.color)


def test_settings_cannot_be_assigned() -> None:
    with pytest.raises(AttributeError, match="set X_LEVEL instead"):
        Example({}).level = 1  # type: ignore[misc]


def test_values_are_read_at_each_access() -> None:
    environ = {"X_LEVEL": "1"}
    found = Example(environ)
    assert found.level == 1
    environ["X_LEVEL"] = "3"
    assert found.level == 3


def test_the_home_of_another_user_has_to_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That of `nobody` is made by no program."""
    homes = {"~there": tmp_path, "~nobody": tmp_path / "nonexistent", "~": tmp_path / "new"}

    def expanduser(found: Path) -> Path:
        first, *rest = found.parts
        return homes[first].joinpath(*rest) if first in homes else found

    monkeypatch.setattr(Path, "expanduser", expanduser)
    assert Example({"X_FOLDER": "~there/x"}).folder == tmp_path / "x"
    assert Example({"X_FOLDER": "~/x"}).folder == tmp_path / "new/x"
    with pytest.raises(SettingError, match="X_FOLDER is '~nobody/x', expected a path, whose `~` is a home folder"):
        _ = Example({"X_FOLDER": "~nobody/x"}).folder
