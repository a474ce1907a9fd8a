"""The toolchain over real bindings: those that jaxlib carries (dependency group `upstream-bindings`).

They register their dialects by a function of their own, and only a few passes.
"""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from flydsl.base.errors import ToolchainError
from flydsl.toolchain.upstream import UpstreamToolchain

pytest.importorskip("jaxlib.mlir.ir", reason="the dependency group upstream-bindings is not installed")

TEXT = """
func.func @f(%a: i32) -> i32 {
  %x = arith.addi %a, %a : i32
  %y = arith.addi %a, %a : i32
  %z = arith.muli %x, %y : i32
  return %z : i32
}
"""


def register(registry: Any) -> None:
    importlib.import_module("jaxlib.mlir._mlir_libs._jax_mlir_ext").register_dialects(registry)
    importlib.import_module("jaxlib.mlir._mlir_libs._mlirGPUPasses")


@pytest.fixture
def toolchain() -> UpstreamToolchain:
    return UpstreamToolchain("jaxlib.mlir", register=register)


def test_pass_rewrites_the_module(toolchain: UpstreamToolchain) -> None:
    said = toolchain.run_pipeline(TEXT, "builtin.module(cse)")
    assert said.count('"arith.addi"') == 1


def test_parse_error_has_a_place(toolchain: UpstreamToolchain) -> None:
    with pytest.raises(ToolchainError) as caught:
        toolchain.run_pipeline("module {\n  func.func @f() { return 3 }\n}", "cse")
    assert caught.value.diagnostics[0].line == 2


def test_missing_pass_is_named(toolchain: UpstreamToolchain) -> None:
    with pytest.raises(ToolchainError, match="lacks the pass 'convert-arith-to-llvm'"):
        toolchain.run_pipeline(TEXT, "builtin.module(convert-arith-to-llvm)")


def test_translations_are_refused_where_they_would_end_the_process(toolchain: UpstreamToolchain) -> None:
    with pytest.raises(ToolchainError, match="_mlirRegisterEverything"):
        toolchain.gpu_objects("gpu.module @k [#nvvm.target] {}", "gpu-module-to-binary")
    with pytest.raises(ToolchainError, match="_mlirRegisterEverything"):
        toolchain.emit_llvm_ir("llvm.func @f() { llvm.return }")
