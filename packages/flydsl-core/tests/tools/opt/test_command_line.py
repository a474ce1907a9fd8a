"""The command line of `fly-opt`: passes in the order of their flags, and what contradicts itself."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from flydsl.base.errors import SettingError
from flydsl.tools.opt.command_line import help_text, read_input, read_options, split


def test_passes_keep_the_order_of_their_flags_with_their_options() -> None:
    options = read_options(["--cse", "-canonicalize", "in.mlir", "--fly-x=a=1 b=2", "-o", "out.mlir"])
    assert [str(item) for item in options.pipeline] == ["cse", "canonicalize", "fly-x{a=1 b=2}"]
    assert (options.input, options.output) == ("in.mlir", "out.mlir")


def test_streams_are_the_defaults() -> None:
    options = read_options([])
    assert (options.input, options.output, options.pipeline, options.split_marker) == ("-", "-", (), "")
    assert not (options.generic or options.locations or options.help)  # noqa: PT018


@pytest.mark.parametrize(
    ("flag", "field"),
    [
        ("--mlir-print-op-generic", "generic"),
        ("-mlir-print-debuginfo", "locations"),
        ("--allow-unregistered-dialect", "allow_unregistered"),
        ("--verify-diagnostics", "verify_diagnostics"),
        ("-h", "help"),
    ],
)
def test_flags(flag: str, field: str) -> None:
    assert getattr(read_options([flag]), field) is True


def test_a_pipeline_is_read_as_text() -> None:
    items = read_options(["--pass-pipeline=builtin.module(func.func(cse),canonicalize)"]).pipeline
    assert [str(item) for item in items] == ["func.func(cse)", "canonicalize"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["a", "b"], "'b' is one argument too many: one input file is read"),
        (["--pass-pipeline=cse", "--cse"], "--pass-pipeline and the flag 'cse' exclude each other"),
    ],
)
def test_contradictions(words: list[str], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        read_options(words)


def test_parts_of_a_file_keep_their_lines() -> None:
    assert read_options(["--split-input-file"]).split_marker == "// -----"
    assert split("a\n// -----\nb\nc", "// -----") == ["a", "\n\nb\nc"]
    assert split("a\n// -----\nb", "") == ["a\n// -----\nb"]


def test_help_names_each_pass_in_a_column() -> None:
    lines = help_text([("cse", "Shares."), ("canonicalize", "Folds.")]).splitlines()
    assert "  --cse           Shares." in lines
    assert "  --canonicalize  Folds." in lines


def test_input_is_a_file_or_a_stream_of_text(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("text")
    assert read_input(str(tmp_path / "a"), io.StringIO("")) == "text"
    assert read_input("-", io.StringIO("a\nb")) == "a\nb"
    with pytest.raises(SettingError, match="cannot read '.*none'"):
        read_input(str(tmp_path / "none"), io.StringIO(""))
    with pytest.raises(SettingError, match="cannot read '-'"):
        read_input("-", ["\ud800"])
