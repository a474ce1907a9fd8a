"""Maxima and minima become LLVM's intrinsics, with their flags, in every shape."""

from __future__ import annotations

import pytest

from flydsl.ir.context import create_context
from flydsl.ir.emit import emit_generic
from flydsl.ir.parse import parse_module
from flydsl.passes.registry import run
from flydsl_cpu.backend import CpuBackend
from flydsl_cpu.plugin import flydsl_compile_backends


def rewritten(text: str) -> str:
    module = parse_module(text, create_context(), check=False)
    run(module, "cpu-ordered-zeros", context=create_context(), extra=flydsl_compile_backends()[0].passes)
    return emit_generic(module)


@pytest.mark.parametrize("name", ["maximum", "minimum"])
@pytest.mark.parametrize("type_", ["f32", "bf16", "vector<4xf64>", "vector<2x3xf16>"])
def test_the_intrinsic_takes_the_place_of_the_operation(name: str, type_: str) -> None:
    found = rewritten(f"""
    func.func @f(%a: {type_}, %b: {type_}) -> {type_} {{
      %c = arith.{name}f %a, %b fastmath<nsz> : {type_}
      func.return %c : {type_}
    }}""")
    assert f'"llvm.{name}"' in found
    assert f"arith.{name}f" not in found
    assert "nsz" in found
    assert ("vector.shape_cast" in found) == ("2x3" in type_)


def test_it_is_the_last_of_our_passes() -> None:
    names = CpuBackend().pipeline_fragments(arch="x86-64-v3")
    before = names[names.index("cpu-ordered-zeros") - 1]
    assert before.startswith("cpu-thread-loops")
