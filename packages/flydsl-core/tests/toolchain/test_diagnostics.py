"""Errors of LLVM's tools as data: places and functions that their texts name."""

from __future__ import annotations

import pytest

from flydsl.base.errors import Diagnostic
from flydsl.toolchain.diagnostics import toolchain_error


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ("/home/me/k.py:12:5: in function add_0 void (ptr): unsupported call", ("/home/me/k.py", 12, 5)),
        ("<unknown>:0:0: in function add_0: unsupported call", ("", 0, 0)),
        ("cannot select\n/home/me/k.py:3:1: here", ("/home/me/k.py", 3, 1)),
        ("cannot select: a:b", ("", 0, 0)),
    ],
)
def test_a_message_of_code_generation_begins_with_a_place(message, place):
    (found,) = toolchain_error("failed", [Diagnostic("error", message)]).diagnostics
    assert (found.file, found.line, found.column) == place
    assert str(found) == str(found).replace(": error: ", ": ") or place == ("", 0, 0)
    assert found.message == message


def test_a_place_that_a_tool_gives_is_kept():
    diagnostic = Diagnostic("error", "k.py:1:2: wrong", "text.mlir", 7, 8)
    assert toolchain_error("failed", [diagnostic]).diagnostics == (diagnostic,)


def test_functions_and_intrinsics_are_symbols():
    error = toolchain_error(
        "local memory exceeds limit in function 'add_0'",
        [Diagnostic("error", "Cannot select: intrinsic %llvm.acme.raw.load.f32"), Diagnostic("note", "of 'add_0'")],
    )
    assert error.symbols == ("add_0", "llvm.acme.raw.load.f32")


def test_the_text_is_what_the_tool_said():
    error = toolchain_error("code generation failed", [Diagnostic("error", "k.py:12:5: in function f")])
    assert str(error) == "code generation failed\n  error: k.py:12:5: in function f"
