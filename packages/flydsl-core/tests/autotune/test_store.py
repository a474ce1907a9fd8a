"""Files of configurations: whole, merged, and ignored where they are damaged."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from flydsl.autotune import Config
from flydsl.autotune.store import LARGEST, Kept, read_configs, write_configs, write_whole


def kept(**values: object) -> Kept:
    return Kept(Config(**values), "all")  # type: ignore[arg-type]


def blocks(file: Path) -> dict[tuple[str, ...], object]:
    return {key: entry.config.kwargs["BLOCK"] for key, entry in read_configs(file)[0].items()}


def test_configurations_come_back_by_key(tmp_path: Path) -> None:
    file = tmp_path / "new" / "add.json"
    write_configs(file, {("a", "b"): kept(BLOCK=64, num_warps=2)})
    config = {"BLOCK": 64, "num_warps": 2}
    assert json.loads(file.read_text()) == {'["a", "b"]': {"config": config, "candidates": "all"}}
    (known,) = read_configs(file)[0].items()
    assert (known[0], known[1].config.to_dict(), known[1].candidates) == (("a", "b"), config, "all")


def test_what_another_process_wrote_stays(tmp_path: Path) -> None:
    file = tmp_path / "add.json"
    write_configs(file, {("a",): kept(BLOCK=1)})
    write_configs(file, {("b",): kept(BLOCK=2)})
    assert blocks(file) == {("a",): 1, ("b",): 2}


DAMAGED = (
    *("", "{", "[]", "3", "[" * 100_000, "\0", "9" * 5000, '{"[1]": {}}', '{"x": {}}', '{"[\\"a\\"]": 3}'),
    *('{"[\\"a\\"]": {"config": {"BLOCK": 1}}}', '{"[\\"a\\"]": {"config": 1, "candidates": "all"}}'),
    '{"[\\"a\\"]": {"config": {"BLOCK": 1}, "candidates": []}}',
    '{"' + "[" * 100_000 + '": {}}',
)


@pytest.mark.parametrize("text", DAMAGED, ids=range(len(DAMAGED)))
def test_damaged_files_and_entries_are_not_used_and_it_is_said(tmp_path: Path, text: str) -> None:
    file = tmp_path / "add.json"
    file.write_text(text)
    configs, why = read_configs(file)
    assert (configs, bool(why)) == ({}, True)
    write_configs(file, {("b",): kept(BLOCK=2)})
    assert blocks(file) == {("b",): 2}


def test_what_is_no_file_of_a_usual_size_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "add.json"
    file.symlink_to("/dev/zero")
    assert read_configs(file) == ({}, "[Errno 22] it is a device, expected a file: " + repr(str(file)))
    file.unlink()
    os.mkfifo(file)
    assert "it is a FIFO" in read_configs(file)[1]
    file.unlink()
    with file.open("wb") as sparse:
        sparse.truncate(6 << 30)
    assert f"it has more than {LARGEST} bytes" in read_configs(file)[1]


def test_one_bad_entry_spoils_no_other(tmp_path: Path) -> None:
    file = tmp_path / "add.json"
    write_configs(file, {("a",): kept(BLOCK=1)})
    file.write_text(json.dumps({**json.loads(file.read_text()), '["b"]': [1]}))
    assert blocks(file) == {("a",): 1}
    assert read_configs(file)[1] == "1 of its 2 entries are no configurations"


def test_a_file_that_is_not_there_is_nothing_to_tell(tmp_path: Path) -> None:
    assert read_configs(tmp_path / "add.json") == ({}, "")


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
            write_configs(tmp_path / "add.json", {("a",): kept(T=value)})
