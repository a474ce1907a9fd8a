"""Prints become calls of the C library, with formats of its types."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Module = Callable[..., str]
After = Callable[..., str]


@pytest.mark.parametrize(
    ("type_", "conversion", "passed", "printed"),
    [
        ("i32", "%d", "i32", "%d"),
        ("i64", "%d", "i64", "%lld"),
        ("i8", "%d", "i32", "%d"),
        ("index", "%5d", "i64", "%5lld"),
        ("f32", "%.3f", "f64", "%.3f"),
        ("f64", "%f", "f64", "%f"),
    ],
)
def test_arguments_have_the_types_of_c(
    kernel_module: Module, after: After, type_: str, conversion: str, passed: str, printed: str
) -> None:
    print_ = f'"gpu.printf"(%x) {{format = "{conversion} 100%%\\0A"}} : ({type_}) -> ()'
    text = after(kernel_module(f"%x: {type_}", print_), "cpu-lower-prints")
    assert "gpu.printf" not in text
    assert f"(!llvm.ptr, {passed}) -> i32" in text
    assert f"{printed} 100%%" in text


def test_prints_share_declarations_and_have_formats_of_their_own(kernel_module: Module, after: After) -> None:
    print_ = '"gpu.printf"() {format = "again"} : () -> ()\n'
    text = after(kernel_module("", 2 * print_), "cpu-lower-prints")
    assert text.count('sym_name = "printf"') == text.count('sym_name = "fflush"') == 1
    assert 'sym_name = "k_format_0"' in text
    assert 'sym_name = "k_format_1"' in text
    assert text.count("callee = @fflush") == 2


def test_a_module_without_prints_gets_no_declarations(kernel_module: Module, after: After) -> None:
    assert "printf" not in after(kernel_module("", ""), "cpu-lower-prints")
