"""Compiled code as C files; integration tests build and run them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import ArgumentError
from flydsl.runtime.abi import include_dir


@flyc.kernel
def store(x: fx.Tensor, n: fx.Int32, f: fx.Float32):
    x[0] = n + f


@flyc.jit
def fill(x: fx.Tensor, int: fx.Int32, f: fx.Float32, twice: fx.Constexpr[bool] = False):
    store(x, int, f).launch(grid=1, block=1)


@pytest.fixture
def compiled(fake_device):
    return flyc.compile(fill, np.zeros(4, np.float32), 1, 2.0)


def test_three_files_are_written(compiled, tmp_path: Path):
    compiled.export_to_c(tmp_path / "new", "code", "vendor")
    header, source = (tmp_path / "new/code.h").read_text(), (tmp_path / "new/code.c").read_text()
    assert (tmp_path / "new/fly_abi.h").read_text() == (include_dir() / "fly_abi.h").read_text()
    for function in ("vendor_load", "vendor_launch", "vendor_unload"):
        assert function in header
        assert function in source
    assert '#include "code.h"' in source


def test_the_launcher_stands_in_the_source_byte_for_byte(compiled, tmp_path: Path):
    compiled.export_to_c(tmp_path, "code")
    source = (tmp_path / "code.c").read_text()
    numbers = source[source.index("{") :]
    image = compiled.artifact.launcher
    assert ",".join(map(str, image[:8])) in numbers.replace(" ", "").replace("\n", "")
    assert "fill_launch" in source


def test_arguments_are_typed_and_words_of_c_are_renamed(compiled, tmp_path: Path):
    compiled.export_to_c(tmp_path, "code")
    header = (tmp_path / "code.h").read_text()
    assert "int32_t int_" in header
    assert "float f" in header
    assert "twice" not in header


@pytest.mark.parametrize(
    ("name", "prefix", "message"),
    [
        ("code", "2x", "function_prefix is the beginning of C names, found '2x'"),
        ("code", "static", "function_prefix is the beginning of C names"),
        ("a/b", "", "file_name is a name without folders and suffix, found 'a/b'"),
        ("fly_abi", "", "file_name is a name without"),
    ],
)
def test_names_that_c_does_not_take(compiled, tmp_path: Path, name, prefix, message):
    with pytest.raises(ArgumentError, match=message):
        compiled.export_to_c(tmp_path, name, prefix)
    assert list(tmp_path.glob("*.c")) == []
