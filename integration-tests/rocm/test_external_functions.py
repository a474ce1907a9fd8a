"""External functions on simulated GPUs: bitcode that is linked into kernels, and what is missing or wrong."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
import flydsl_mlir
from flydsl.base.errors import CompileError, FrontendError, SettingError, ToolchainError
from flydsl.compiler.extern_link import link_extern
from flydsl.expr.extern import ExternFunction, ffi
from flydsl_hipsim.bench import HipsimBench

IR = b"""
target triple = "amdgcn-amd-amdhsa"
define float @scale(float %x, i32 %n) {
  %f = uitofp i32 %n to float
  %p = fmul float %x, %f
  ret float %p
}
define i64 @twice(i64 %x) {
  %y = shl i64 %x, 1
  ret i64 %y
}
define void @unused_function() { ret void }
"""


@pytest.fixture
def bitcode(tmp_path: Path) -> Path:
    path = tmp_path / "own, functions.bc"
    path.write_bytes(flydsl_mlir.run_ir_passes(IR, "verify", triple="amdgcn-amd-amdhsa"))
    return path


def run(function: Any, x: np.ndarray) -> np.ndarray:
    """`function(x[i], i)` by 64 threads."""

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        y[i] = function(x[i], i)

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=1, block=64)

    y = np.zeros_like(x)
    host(x, y)
    assert "unused_function" not in host.trace(x, y).lower().compile().disassemble()
    return y


@pytest.mark.parametrize("chip", ["gfx90a", "gfx942", "gfx1100", "gfx1250"])
def test_bitcode_is_linked_into_the_kernel(
    chip: str, bitcode: Path, hipsim: HipsimBench, rng: np.random.Generator
) -> None:
    hipsim.use(chip)
    scale = link_extern(ffi("scale", ["float32", "uint32"], "float32"), bitcode_path=bitcode)
    twice = link_extern(ffi("twice", ["int64"], "int64", is_pure=True), bitcode_path=bitcode)
    x = rng.standard_normal(64).astype(np.float32)
    i = np.arange(64)
    found = run(lambda v, i: scale(v, i) + fx.Float32(twice(i - 5)), x)
    np.testing.assert_array_equal(found, x * i.astype(np.float32) + (2 * (i - 5)).astype(np.float32))


def test_changed_bitcode_is_other_code(bitcode: Path, hipsim: HipsimBench) -> None:
    x = np.ones(64, np.float32)
    found = []
    for factor in (b"1", b"2"):
        bitcode.write_bytes(
            flydsl_mlir.run_ir_passes(IR.replace(b"shl i64 %x, 1", b"shl i64 %x, " + factor), "verify",
                                      triple="amdgcn-amd-amdhsa")
        )  # fmt: skip
        twice = link_extern(ffi("twice", ["int64"], "int64"), bitcode_path=bitcode)
        found.append(run(lambda v, i, f=twice: fx.Float32(f(i)), x)[3])
    assert found == [6, 12]


def test_a_symbol_that_nothing_defines_is_named(bitcode: Path, hipsim: HipsimBench) -> None:
    with pytest.raises(ToolchainError, match="calls 'thrice', which nothing defines; give .* bitcode_path"):
        run(lambda v, i: ffi("thrice", ["float32"], "float32")(v), np.ones(64, np.float32))


def test_other_types_than_the_bitcode_s_are_no_crash(bitcode: Path, hipsim: HipsimBench) -> None:
    wrong = link_extern(ffi("scale", ["float64"], "float64"), bitcode_path=bitcode)
    with suppress(CompileError):  # LLVM may take it, with undefined numbers
        run(lambda v, i: fx.Float32(wrong(fx.Float64(v))), np.ones(64, np.float32))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda f, v, i: f(v), r"'scale' takes 2 arguments \(float32, uint32\), found 1"),
        (lambda f, v, i: f(v, v), "'scale' takes Uint32, found"),
    ],
)
def test_calls_that_do_not_fit_are_refused(call: Any, words: str, bitcode: Path, hipsim: HipsimBench) -> None:
    scale = link_extern(ffi("scale", ["float32", "uint32"], "float32"), bitcode_path=bitcode)
    with pytest.raises(FrontendError, match=words):
        run(lambda v, i: call(scale, v, i), np.ones(64, np.float32))


def test_one_symbol_has_one_type(hipsim: HipsimBench) -> None:
    first, second = ffi("f", ["float32"], "float32"), ffi("f", ["int32"], "float32")
    with pytest.raises(FrontendError, match="'f' is called with type .* before"):
        run(lambda v, i: first(v) + second(i), np.ones(64, np.float32))


def test_names_of_types_are_those_of_the_table(hipsim: HipsimBench) -> None:
    with pytest.raises(SettingError, match="'f' has no type 'half'; types are int32"):
        run(lambda v, i: ffi("f", ["half"], "float32")(v), np.ones(64, np.float32))


def test_external_functions_are_called_in_kernels(bitcode: Path, hipsim: HipsimBench) -> None:
    function: ExternFunction = ffi("f", [], "void")

    @flyc.jit
    def host(x: fx.Tensor):
        function()

    with pytest.raises(FrontendError, match="external function 'f' exists only inside a kernel"):
        host(np.ones(1, np.float32))


def test_a_backend_that_links_none_says_so(bitcode: Path) -> None:
    twice = link_extern(ffi("twice", ["int64"], "int64"), bitcode_path=bitcode)

    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = twice(x[0])

    @flyc.jit
    def host(x: fx.Tensor):
        kernel(x).launch(grid=1, block=1)

    with pytest.raises(CompileError, match="backend 'cpu' links no bitcode"):
        host.trace(np.ones(1, np.int64), backend="cpu").lower().compile()


def test_line_tables_point_at_the_program(hipsim: HipsimBench) -> None:
    from flydsl_hipsim.lines import line_table

    def helper(v: Any) -> Any:
        return v * 2.0 + 1.0  # helper

    @flyc.kernel
    def kernel(x: fx.Tensor):
        i = fx.thread_idx.x
        x[i] = fx.rocdl.rcp(helper(x[i]))  # store

    @flyc.jit
    def host(x: fx.Tensor):
        kernel(x).launch(grid=1, block=64)

    host.compile_hints["debug_info"] = True
    artifact = host.trace(np.ones(64, np.float32)).lower().compile()
    source = Path(__file__).read_text().splitlines()
    rows = {tuple(row.rsplit(":", 1)) for _, row in line_table(artifact.device) if row}
    found = {source[int(line) - 1].rpartition("# ")[2] for file, line in rows if Path(file).name == Path(__file__).name}
    assert {"helper", "store"} <= found
