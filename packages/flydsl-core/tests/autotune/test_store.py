"""Files of configurations: whole, merged, and ignored where they are damaged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flydsl.autotune import Config
from flydsl.autotune.store import read_configs, write_configs, write_whole


def test_configurations_come_back_by_key(tmp_path: Path) -> None:
    file = tmp_path / "new" / "add.json"
    write_configs(file, {("a", "b"): Config(BLOCK=64, num_warps=2)})
    assert json.loads(file.read_text()) == {'["a", "b"]': {"BLOCK": 64, "num_warps": 2}}
    (known,) = read_configs(file).items()
    assert (known[0], known[1].to_dict()) == (("a", "b"), {"BLOCK": 64, "num_warps": 2})


def test_what_another_process_wrote_stays(tmp_path: Path) -> None:
    file = tmp_path / "add.json"
    write_configs(file, {("a",): Config(BLOCK=1)})
    write_configs(file, {("b",): Config(BLOCK=2)})
    assert {key: config.kwargs for key, config in read_configs(file).items()} == {
        ("a",): {"BLOCK": 1},
        ("b",): {"BLOCK": 2},
    }


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "3", "[" * 100_000, '{"[1]": {}}', '{"x": {}}', '{"[\\"a\\"]": 3}', "\0"], ids=range(9)
)
def test_damaged_files_and_entries_are_ignored(tmp_path: Path, text: str) -> None:
    file = tmp_path / "add.json"
    file.write_text(text)
    assert read_configs(file) == {}
    write_configs(file, {("b",): Config(BLOCK=2)})
    assert set(read_configs(file)) == {("b",)}


def test_one_bad_entry_spoils_no_other(tmp_path: Path) -> None:
    file = tmp_path / "add.json"
    file.write_text('{"[\\"a\\"]": {"BLOCK": 1}, "[\\"b\\"]": [1]}')
    assert set(read_configs(file)) == {("a",)}


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "add.json"
    write_whole(file, "old")
    with pytest.raises(UnicodeEncodeError):
        write_whole(file, "new \udc80")
    assert file.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["add.json"]


def test_values_that_json_does_not_have_are_errors(tmp_path: Path) -> None:
    for value in (object(), float("nan")):
        with pytest.raises((TypeError, ValueError)):
            write_configs(tmp_path / "add.json", {("a",): Config(T=value)})
