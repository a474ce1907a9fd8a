"""The content of gpu.modules in generic text."""

from __future__ import annotations

import pytest

from flydsl.base.errors import CompileError
from flydsl.ir.emit import emit_generic
from flydsl.ir.parse import parse_module
from flydsl.toolchain.gpu_module_text import gpu_module_contents

KERNEL = "gpu.func @{name}() kernel {{ gpu.return }}"


def text(*modules: str) -> str:
    return emit_generic(parse_module("\n".join(modules)))


def module(*names: str) -> str:
    return f"gpu.module @m {{ {' '.join(KERNEL.format(name=name) for name in names)} }}"


def test_functions_of_all_modules_are_one_module() -> None:
    found = gpu_module_contents(text(module("a", "b"), "func.func @host() { return }"))
    kernels = [op.get_attr_or_prop("sym_name").data for op in parse_module(found).body.block.ops]  # type: ignore[union-attr]
    assert kernels == ["a", "b"]


def test_brackets_in_strings_and_nested_regions_do_not_count() -> None:
    content = '"a.b"() ({"x"() {s = "})"} : () -> ()}, {}) : () -> ()'
    kernels = f'"gpu.module"() <{{sym_name = "({{"}}> ({{{content}}}) : () -> ()'
    found = gpu_module_contents(f'"builtin.module"() ({{{kernels}}}) : () -> ()')
    assert found == f'"builtin.module"() ({{{content}}}) : () -> ()\n'


def test_names_of_attributes_stay_in_front_and_those_of_locations_behind() -> None:
    content = '"a.b"() {x = #annotation} : () -> () loc(#loc)'
    whole = '#annotation = 1 : i32\n"builtin.module"() ({CONTENT}) : () -> ()\n#loc = loc("a":1:2)\n'
    found = gpu_module_contents(whole.replace("CONTENT", f'"gpu.module"() ({{{content}}}) : () -> ()'))
    assert found == whole.replace("CONTENT", content)


def test_a_module_without_kernels_is_refused() -> None:
    with pytest.raises(CompileError, match=r"the module holds no gpu.module to compile"):
        gpu_module_contents(text("func.func @host() { return }"))


def test_text_that_ends_too_early_is_refused() -> None:
    with pytest.raises(CompileError, match=r"the text of a gpu.module does not end"):
        gpu_module_contents('"gpu.module"() ({ "a"() : () -> ()')
