"""Whole modules compiled: text and operations, targets and what is refused."""

from __future__ import annotations

import pytest

import flydsl.compiler as flyc
from flydsl.base.errors import CompileError, UnsupportedTargetError
from flydsl.ir.parse import parse_module
from flydsl.testing.fake_toolchain import FakeToolchain

TEXT = """
module attributes {gpu.container_module} {
  gpu.module @kernels { gpu.func @k(%x: i32) kernel { gpu.return } }
  func.func @host() { return }
}
"""


def test_text_and_operations_give_equal_code_and_stay(fake_device: FakeToolchain) -> None:
    module = parse_module(TEXT)
    before = str(module)
    code = flyc.MlirCompiler.compile(module)
    assert code == flyc.MlirCompiler.compile(TEXT)
    assert str(module) == before
    assert code.startswith(b"fake fake1 ")


def test_host_functions_do_not_decide_the_code(fake_device: FakeToolchain) -> None:
    other = TEXT.replace("@host() { return }", "@other(%n: i32) { return }")
    assert flyc.MlirCompiler.compile(TEXT) == flyc.MlirCompiler.compile(other)


@pytest.mark.parametrize("option", ["chip", "arch"])
def test_the_architecture_has_two_names(fake_device: FakeToolchain, option: str) -> None:
    assert flyc.MlirCompiler.compile(TEXT, **{option: "fake2"}).startswith(b"fake fake2 ")  # type: ignore[arg-type]


def test_what_is_refused(fake_device: FakeToolchain) -> None:
    with pytest.raises(UnsupportedTargetError, match="chip and arch are one option: give arch alone"):
        flyc.MlirCompiler.compile(TEXT, chip="fake1", arch="fake1")
    with pytest.raises(CompileError, match="compile takes a module or its text, found int"):
        flyc.MlirCompiler.compile(3)  # type: ignore[arg-type]
