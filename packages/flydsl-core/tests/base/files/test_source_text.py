"""Texts of files, kept while these change."""

from __future__ import annotations

import gc
import linecache
import os
from pathlib import Path
from types import FunctionType

import pytest

from flydsl.base.files.source_text import keep_texts, source_line, texts_of


def function_of(file: Path | str, text: str) -> FunctionType:
    space: dict[str, FunctionType] = {"__name__": "made"}
    exec(compile(text, str(file), "exec"), space)
    return space["f"]


def written(file: Path, text: str | bytes) -> str:
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    os.utime(file, ns=(1, 1))
    return str(file)


def test_a_text_is_kept_beside_the_one_that_the_file_has_now(tmp_path: Path):
    file = written(tmp_path / "a.py", "def f(): return 1\n")
    kept = keep_texts(function_of(file, "def f(): return 1\n"))
    written(Path(file), "def f(): return 22\n")
    assert [text.lines for text in texts_of(file, {})] == [["def f(): return 22\n"], ["def f(): return 1\n"]]
    assert source_line(file, 1) == "def f(): return 1"
    assert len(kept) == 1


def test_a_text_is_kept_as_long_as_its_holder():
    name = "<generated>"
    linecache.cache[name] = (1, None, ["def f(): return 1\n"], name)
    kept = keep_texts(function_of(name, "def f(): return 1\n"))
    del linecache.cache[name]
    assert [text.lines for text in texts_of(name, {})] == [["def f(): return 1\n"]]
    del kept
    gc.collect()
    assert texts_of(name, {}) == []


def test_a_file_that_is_gone_keeps_its_text(tmp_path: Path):
    file = written(tmp_path / "a.py", "def f(): return 1\n")
    kept = keep_texts(function_of(file, "def f(): return 1\n"))
    Path(file).unlink()
    assert [text.lines for text in texts_of(file, {})] == [["def f(): return 1\n"]]
    assert source_line(file, 1) == "def f(): return 1"
    assert (source_line(file, 0), source_line(file, 2)) == ("", "")
    assert len(kept) == 1


def test_a_file_of_this_process_is_not_settled_and_an_old_one_is(tmp_path: Path):
    file = written(tmp_path / "a.py", "def f(): return 1\n")
    assert not texts_of(file, {})[0].is_settled  # whatever its time of modification says
    assert texts_of(linecache.__file__, {})[0].is_settled


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"# -*- coding: latin-1 -*-\nx = '\xe9'", ["# -*- coding: latin-1 -*-\n", "x = 'é'\n"]),
        (b"\xef\xbb\xbfx = 1\r\ny = 2\r\n", ["x = 1\n", "y = 2\n"]),
        (b"x = '\xe9'\n", None),
        (b"# coding: no-such\n", None),
    ],
)
def test_lines_are_those_of_pythons_tokenizer(tmp_path: Path, content: bytes, lines: list[str] | None):
    file = written(tmp_path / "a.py", content)
    assert [text.lines for text in texts_of(file, {})] == ([] if lines is None else [lines])
    assert linecache.getlines(file) == (lines or [])


def test_a_cell_of_a_notebook_is_taken_from_the_line_cache():
    name = "<cell>"
    linecache.cache[name] = (1, None, ["def f(): return 1\n"], name)
    kept = keep_texts(function_of(name, "def f(): return 1\n"))
    linecache.cache[name] = (1, None, ["def f(): return 2\n"], name)
    assert [text.lines for text in texts_of(name, {})] == [["def f(): return 2\n"], ["def f(): return 1\n"]]
    assert kept[0].is_settled


def test_texts_of_functions_and_modules_that_it_names_are_kept(tmp_path: Path):
    helper = function_of(written(tmp_path / "helper.py", "def f(): return 1\n"), "def f(): return 1\n")
    user = function_of(written(tmp_path / "user.py", "def f(): return g()\n"), "def f(): return g() + os.name\n")
    user.__globals__.update(g=helper, os=os)
    assert [Path(text.file).name for text in keep_texts(user)] == ["user.py", "helper.py"]


def test_few_texts_of_one_file_are_kept(tmp_path: Path):
    held = []
    for number in range(20):
        text = f"def f(): return {number}\n"
        held.append(keep_texts(function_of(written(tmp_path / "a.py", text + "#" * number), text)))
    found = texts_of(held[0][0].file, {})
    assert [text.lines[0] for text in found] == [f"def f(): return {number}\n" for number in range(19, 11, -1)]
