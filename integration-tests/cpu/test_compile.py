"""`flyc.compile`, compile hints, and compiled code behind a C API, built with a C compiler and run without Python."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import ArgumentError, RuntimeFailure
from flydsl_cpu.toolkit import RUNTIME_LIBRARY

N = 45


@flyc.kernel
def axpy_kernel(x: fx.Tensor, y: fx.Tensor, a: fx.Float32, shift, n: fx.Int32, times: fx.Constexpr[int]):
    i = fx.block_idx.x * 16 + fx.thread_idx.x
    if i < n:
        y[i] = x[i] * a * times + y[i] + shift.fine + shift.coarse


@fx.struct
class Shift:
    coarse: fx.Int16
    fine: fx.Float64


@flyc.jit
def axpy(
    x: fx.Tensor,
    y: fx.Tensor,
    a: fx.Float32,
    shift: Shift,
    int: fx.Int32,  # a keyword of C
    times: fx.Constexpr[int] = 1,
    stream: fx.Stream = fx.Stream(None),
):
    axpy_kernel(x, y, a, shift, int, times).launch(grid=(int + 15) // 16, block=16, stream=stream)


def arguments(seed: int = 0) -> tuple[Any, ...]:
    random = np.random.default_rng(seed)
    x, y = (random.standard_normal(N).astype(np.float32) for _ in range(2))
    return x[::-1], y, 0.75, Shift(-3, 0.125), N, 2, None


def expected(x: np.ndarray, y: np.ndarray, a: float, shift: Any, n: int, times: int, stream: None) -> np.ndarray:
    return x.astype(np.float64) * a * times + y - 3 + 0.125


def test_a_compiled_function_takes_all_arguments_and_no_defaults():
    compiled = flyc.compile(axpy, *arguments())
    for seed in (1, 2):
        passed = arguments(seed)
        wanted = expected(*passed)
        compiled(*passed)
        np.testing.assert_allclose(passed[1], wanted, rtol=1e-5)
    with pytest.raises(ArgumentError, match=r"compiled for 7 arguments \(x, y, a, .*\), found 5; pass as many"):
        compiled(*arguments()[:5])


def test_only_a_jit_function_is_compiled():
    with pytest.raises(ArgumentError, match="decorated with @flyc.jit, found KernelFunction"):
        flyc.compile(axpy_kernel)


def keys(compiled: flyc.CompiledFunction) -> dict[str, str]:
    return {name: value for name, value in compiled.artifact.key.items() if name.startswith("option.hint")}


def test_hints_are_part_of_the_key_and_reach_the_backend():
    plain, low = flyc.compile(axpy, *arguments()), flyc.compile[{"opt_level": 0}](axpy, *arguments())
    assert (keys(plain), keys(low)) == ({}, {"option.hint.opt_level": "0"})
    assert low.artifact.device != plain.artifact.device
    both = flyc.compile[{"opt_level": 0}][{"debug_info": True}](axpy, *arguments())
    assert keys(both) == {"option.hint.opt_level": "0", "option.hint.debug_info": "True"}
    for compiled in (plain, low, both):
        passed = arguments(3)
        wanted = expected(*passed)
        compiled(*passed)
        np.testing.assert_allclose(passed[1], wanted, rtol=1e-5)


def test_other_arguments_of_a_function_compiled_with_hints_keep_them():
    low = flyc.compile[{"opt_level": 0}](axpy, *arguments())
    for n in (5, 30):
        x, y, *rest = arguments(n)
        x, y, rest[2] = x[:n].copy(), y[:n], n
        wanted = expected(x, y, *rest)
        low(x, y, *rest)
        np.testing.assert_allclose(y, wanted, rtol=1e-5)


def test_a_change_of_the_hints_of_a_function_is_a_change_of_its_code():
    @flyc.jit
    def own(x: fx.Tensor, y: fx.Tensor):
        axpy_kernel(x, y, 1.0, Shift(0, 0.0), 16, 1).launch(grid=1, block=16)

    x = np.ones(16, np.float32)
    own(x, x.copy())
    assert keys(own.prepare(x, x.copy())) == {}
    own.compile_hints["opt_level"] = 1
    assert keys(own.prepare(x, x.copy())) == {"option.hint.opt_level": "1"}
    assert keys(flyc.compile[{"opt_level": 3}](own, x, x.copy())) == {"option.hint.opt_level": "3"}
    own.compile_hints = {"debug_info": True}
    assert keys(own.prepare(x, x.copy())) == {"option.hint.debug_info": "True"}
    own.compile_hints["opt_level"] = "fast"
    with pytest.raises(ArgumentError, match="hint 'opt_level' is an integer from 0 to 3, found 'fast'"):
        own(x, x.copy())


@pytest.mark.parametrize("hints", [3, {"a": []}, {1: 2}, {"opt_level": 9}, {"opt_level": True}])
def test_hints_that_make_no_sense_are_refused(hints):
    with pytest.raises(ArgumentError, match="hint"):
        flyc.compile[hints]


def test_a_hint_that_no_backend_takes_is_refused_with_the_known_ones():
    for use in (lambda: flyc.compile[{"optlevel": 3}], lambda: setattr(axpy, "compile_hints", {"optlevel": 3})):
        with pytest.raises(ArgumentError, match=r"no compile hint 'optlevel'; known: .*debug_info.*opt_level"):
            use()


def test_blocks_of_a_compute_unit_are_told_for_a_known_block_size():
    assert flyc.compile(axpy, *arguments()).max_blocks_per_cu() == 1

    @flyc.jit
    def open_size(x: fx.Tensor, y: fx.Tensor, threads: fx.Int32):
        axpy_kernel(x, y, 1.0, Shift(0, 0.0), 16, 1).launch(grid=1, block=threads)

    with pytest.raises(RuntimeFailure, match="'axpy_kernel_0' is launched with a block size of run time"):
        flyc.compile(open_size, *arguments()[:2], 16).max_blocks_per_cu()


MAIN = r"""
#include <stdio.h>
#include "first.h"
#include "second.h"

const FlyRuntimeApi *flycpu_api(void);

int main(void) {
  float x[45], y[45], z[45];
  void *one, *two;
  const FlyRuntimeApi *rt = flycpu_api();
  for (int i = 0; i < 45; ++i) x[i] = (float)i, y[i] = 1, z[i] = 2;
  if (first_load(rt, 0, &one) || scaled_load(rt, 0, &two)) return 1;
  if (first_launch(rt, one, 0, 0, x + 44, 45, -1, y, 45, 0.75f, -3, 0.125, 45, 0)) return 2;
  if (scaled_launch(rt, two, 0, 0, x, z)) return 3;
  if (first_launch(rt, one, 7, 0, x, 45, 1, y, 45, 0.75f, -3, 0.125, 0, 0)) return 4;
  for (int i = 0; i < 45; ++i) printf("%.9g %.9g\n", y[i], z[i]);
  return first_unload(rt, one) || scaled_unload(rt, two);
}
"""


@flyc.jit
def scaled(x: fx.Tensor, y: fx.Tensor):
    axpy_kernel(x, y, -2.0, Shift(5, 0.25), N, 1).launch(grid=3, block=16)


def build(folder: Path, *sources: str) -> Path:
    library = RUNTIME_LIBRARY.path()
    compiler = shutil.which("cc")
    assert library is not None
    assert compiler is not None
    command = [compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", *sources, str(library)]
    subprocess.run(
        [*command, f"-Wl,-rpath,{library.parent}", "-ldl", "-lpthread", "-o", "program"], cwd=folder, check=True
    )
    return folder / "program"


def test_exported_code_runs_in_a_c_program(tmp_path):
    flyc.compile(axpy, *arguments()).export_to_c(tmp_path, "first", "first")
    static = [flyc.from_dlpack(np.zeros(N, np.float32)) for _ in range(2)]
    flyc.compile(scaled, *static).export_to_c(str(tmp_path), "second", "scaled")
    assert "double shift_fine" in (tmp_path / "first.h").read_text()
    assert "int32_t int_," in (tmp_path / "first.h").read_text()
    (tmp_path / "main.c").write_text(MAIN)
    program = build(tmp_path, "main.c", "first.c", "second.c")
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    found = np.array([line.split() for line in done.stdout.splitlines()], float)
    x = np.arange(N)
    np.testing.assert_allclose(found[:, 0], x[::-1] * 0.75 * 2 + 1 - 3 + 0.125, rtol=1e-6)
    np.testing.assert_allclose(found[:, 1], x * -2.0 + 2 + 5.25, rtol=1e-6)


@pytest.mark.parametrize(
    "name, prefix", [("a/b", "p"), ("", "p"), ("fly_abi", "p"), ("a", "1p"), ("a", "int"), ("a", "a-b")]
)
def test_names_that_c_does_not_take_are_refused_before_anything_is_written(tmp_path, name, prefix):
    with pytest.raises(ArgumentError, match="file_name is|function_prefix is"):
        flyc.compile(axpy, *arguments()).export_to_c(tmp_path, name, prefix)
    assert list(tmp_path.iterdir()) == []


def test_a_module_is_compiled_for_an_architecture_under_either_name():
    module = axpy.trace(*arguments()).module
    before = str(module)
    code = flyc.MlirCompiler.compile(module, arch="x86-64-v2")
    assert code == flyc.MlirCompiler.compile(module, chip="x86-64-v2") != flyc.MlirCompiler.compile(module)
    assert str(module) == before
    assert code[:4] == b"\x7fELF"
    with pytest.raises(ValueError, match="chip and arch are one option: give arch alone, found 'a' and 'b'"):
        flyc.MlirCompiler.compile(module, chip="a", arch="b")
    with pytest.raises(ValueError, match="unknown-arch"):
        flyc.MlirCompiler.compile(module, arch="unknown-arch")
    with pytest.raises(RuntimeError, match="compile takes a module or its text, found int"):
        flyc.MlirCompiler.compile(3)


def test_a_module_is_compiled_from_its_text():
    traced = axpy.trace(*arguments())
    assert flyc.MlirCompiler.compile(traced.text) == traced.lower().compile().device


def test_llvm_ir_of_kernels_is_text_before_optimisation():
    text = axpy.trace(*arguments()).lower().llvm_ir()
    assert "define" in text
    assert "axpy_kernel_0" in text


KINDS = {
    "array": lambda x: x,
    "from_dlpack": flyc.from_dlpack,
    "None": lambda x: None,
    "list": lambda x: x.tolist(),
    "number": lambda x: 3,
    "text": lambda x: "x",
}


@pytest.mark.parametrize("called", list(KINDS))
@pytest.mark.parametrize("compiled", ["array", "from_dlpack"])
def test_an_argument_of_another_kind_is_named(compiled, called):
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = 1

    @flyc.jit
    def run(n: fx.Int32, x: fx.Tensor):
        kernel(x).launch(grid=n, block=1)

    x = np.zeros(3, np.float32)
    function = flyc.compile(run, 1, KINDS[compiled](x))
    x[0] = 0
    if called in ("array", "from_dlpack"):  # one is made of the other
        function(1, KINDS[called](x))
        assert x[0] == 1
        return
    wanted = {"array": r"a numpy\.ndarray", "from_dlpack": r"what flyc\.from_dlpack gives"}[compiled]
    with pytest.raises(ArgumentError, match=f"argument 'x': 'run' was compiled for {wanted}, found"):
        function(1, KINDS[called](x))
    assert x[0] == 0
