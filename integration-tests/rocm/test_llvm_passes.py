"""Custom LLVM passes in kernels for AMD GPUs: what simulated chips compute with them, device libraries, dumps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.llvm_plugins import passes as build_passes

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import ArgumentError, CompileError, LlvmPassError
from flydsl.compiler.options.target_options import options
from flydsl.plugins.active.selection import get_backend
from flydsl.toolchain.select import default_toolchain
from flydsl_hipsim.bench import HipsimBench

CHIPS = pytest.mark.parametrize("chip", ["gfx942", "gfx1100"])
BLOCK = 64
SLED = "s_nop 5"
LLVM = Path("/usr/lib/llvm-22")


@pytest.fixture(scope="session")
def plugin() -> Path:
    return build_passes()


def scale(**passes: Any) -> Any:
    """y = 2 x + 1 in `y`, and -7 in `marks`, which `trace-threads` replaces by the thread."""

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor, marks: fx.Tensor):
        i = fx.block_idx.x * BLOCK + fx.thread_idx.x
        if i < fx.get_scalar(fx.size(x)):
            y[i] = x[i] * 2 + 1
            marks[i] = fx.Int32(-7)

    @flyc.jit(**passes)
    def host(x: fx.Tensor, y: fx.Tensor, marks: fx.Tensor):
        kernel(x, y, marks).launch(grid=fx.ceil_div(x.shape[0], BLOCK), block=BLOCK)

    return host


def arrays(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    x = rng.standard_normal(203).astype(np.float32)
    return x, np.zeros_like(x), np.zeros(203, np.int32)


def check(host: Any, rng: np.random.Generator) -> tuple[str, np.ndarray]:
    """The instructions of a call that computes y as written, and its marks."""
    x, y, marks = arrays(rng)
    host(x, y, marks)
    np.testing.assert_allclose(y, x.astype(np.float64) * 2 + 1, rtol=1e-6)
    return host.get_last_artifact().disassemble(), marks


def compiled(chip: str, **passes: Any) -> bytes:
    shapes = arrays(np.random.default_rng(0))
    return bytes(scale(**passes).trace(*shapes, arch=chip).lower().compile().device)


@CHIPS
def test_the_default_pipeline_by_name_gives_the_same_code(chip: str) -> None:
    assert compiled(chip, llvm_pass_pipeline="default<O2>") == compiled(chip)


@CHIPS
def test_machine_passes_show_in_the_code_and_results_stay(
    hipsim: HipsimBench, chip: str, plugin: Path, rng: np.random.Generator
) -> None:
    hipsim.use(chip)
    for point in ("post-isel", "pre-ra", "post-ra", "pre-sched2", "pre-emit", "pre-emit2"):
        text, marks = check(scale(llvm_codegen_passes=f"nop-sled@{point}", llvm_codegen_plugins=plugin), rng)
        assert text.count(SLED) == 3
        assert (marks == -7).all()
    swapped, _ = check(scale(llvm_codegen_passes="swap-neighbours@pre-emit", llvm_codegen_plugins=plugin), rng)
    assert swapped != check(scale(), rng)[0]


@CHIPS
def test_a_pipeline_changes_what_is_computed_and_machine_passes_come_after_it(
    hipsim: HipsimBench, chip: str, plugin: Path, rng: np.random.Generator
) -> None:
    hipsim.use(chip)
    both = {
        "llvm_codegen_passes": "nop-sled@before:machine-scheduler, nop-sled@pre-emit",
        "llvm_codegen_plugins": plugin,
    }
    for pipeline in ("trace-threads", "trace-threads,default<O2>", "default<O2>,trace-threads"):
        text, marks = check(scale(llvm_pass_pipeline=pipeline, llvm_pass_plugins=[plugin], **both), rng)
        assert text.count(SLED) == 6
        np.testing.assert_array_equal(marks, np.arange(203) % BLOCK)


def test_the_decorator_wins_over_the_environment_and_hints_win_over_it(
    hipsim: HipsimBench, plugin: Path, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    hipsim.use("gfx942")
    monkeypatch.setenv("FLYDSL_COMPILE_LLVM_CODEGEN_PASSES", "nop-sled@pre-emit2")
    monkeypatch.setenv("FLYDSL_COMPILE_LLVM_CODEGEN_PLUGINS", str(plugin))
    assert check(scale(), rng)[0].count(SLED) == 3
    assert check(scale(llvm_codegen_passes=""), rng)[0].count(SLED) == 0
    twice = scale(llvm_codegen_passes="nop-sled@pre-emit,nop-sled@pre-emit")
    assert check(twice, rng)[0].count(SLED) == 6
    call = flyc.compile[{"llvm_codegen_passes": "nop-sled@pre-ra"}](twice, *arrays(rng))
    assert call.artifact.disassemble().count(SLED) == 3
    twice.compile_hints["llvm_codegen_passes"] = ""
    assert check(twice, rng)[0].count(SLED) == 0


def test_a_process_of_the_llvm_that_is_named_makes_the_same_code(
    plugin: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = {"llvm_pass_pipeline": "trace-threads,default<O2>", "llvm_pass_plugins": plugin}
    machine = {"llvm_codegen_passes": "nop-sled@pre-emit", "llvm_codegen_plugins": plugin}
    here = compiled("gfx942", **asked, **machine)
    ir_only = compiled("gfx942", **asked)
    monkeypatch.setenv("FLYDSL_COMPILE_LLVM_DIR", str(LLVM))
    assert compiled("gfx942", **asked, **machine) == here
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/opt").symlink_to(LLVM / "bin/opt")
    monkeypatch.setenv("FLYDSL_COMPILE_LLVM_DIR", str(tmp_path))
    nested = {**asked, "llvm_pass_pipeline": "function(trace-threads),default<O2>"}
    assert compiled("gfx942", **nested) == ir_only
    with pytest.raises(LlvmPassError, match="machine passes and options need LLVM 22.1"):
        compiled("gfx942", **machine)


OCML = """
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @__ocml_sin_f64(f64) -> f64
    gpu.func @f(%p: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %x = llvm.load %p : !llvm.ptr<1> -> f64
      %y = llvm.call @__ocml_sin_f64(%x) : (f64) -> f64
      llvm.store %y, %p : f64, !llvm.ptr<1>
      gpu.return
    }
  }
}
"""


@CHIPS
@pytest.mark.parametrize("pipeline", ["", "count-functions", "default<O2>"])
def test_functions_of_ocml_are_linked_before_the_pipeline(chip: str, plugin: Path, pipeline: str) -> None:
    hints = {"llvm_pass_pipeline": pipeline, "llvm_codegen_passes": "nop-sled@pre-emit"}
    given = options({**hints, "llvm_pass_plugins": (str(plugin),), "llvm_codegen_plugins": (str(plugin),)})
    backend, toolchain = get_backend("rocm"), default_toolchain()
    code = backend.emit_code_object(OCML, arch=chip, toolchain=toolchain, options=given)
    assert backend.disassemble(code, arch=chip, toolchain=toolchain).count(SLED) >= 3


@CHIPS
def test_functions_of_ockl_are_linked_too(chip: str, plugin: Path) -> None:
    @flyc.kernel
    def kernel(x: fx.Tensor):
        fx.printf("{}", x[fx.thread_idx.x])

    @flyc.jit(llvm_pass_pipeline="default<O1>", llvm_codegen_passes="nop-sled@pre-emit", llvm_codegen_plugins=plugin)
    def host(x: fx.Tensor):
        kernel(x).launch(grid=1, block=BLOCK)

    artifact = host.trace(np.zeros(BLOCK, np.float32), arch=chip).lower().compile()
    assert artifact.disassemble().count(SLED) >= 3


def test_code_is_dumped_before_and_after(plugin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, value in {"DUMP_IR": "1", "DEBUG_DUMP_ASM": "1", "DUMP_DIR": str(tmp_path)}.items():
        monkeypatch.setenv(f"FLYDSL_{variable}", value)
    compiled(
        "gfx942",
        llvm_pass_pipeline="count-loads",
        llvm_pass_plugins=plugin,
        llvm_codegen_passes="nop-sled@post-ra",
        llvm_codegen_plugins=plugin,
    )
    files = {file.name.partition("_")[2]: file.read_text() for file in (tmp_path / "host.rocm-gfx942").iterdir()}
    assert '"loads"' not in files["llvm_before_passes.ll"]
    assert '"loads"' in files["llvm_after_passes.ll"]
    assert "S_NOP 5" not in files["nop-sled_before.mir"]
    assert files["nop-sled_after.mir"].count("S_NOP 5") == 3
    assert files["final_isa.s"].count(SLED) == 3


WRONG: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"llvm_pass_pipeline": "instcombin"}, LlvmPassError, "did you mean 'instcombine'"),
    ({"llvm_pass_pipeline": "break-ir"}, LlvmPassError, "pass 'break-ir' made LLVM IR that is not valid"),
    ({"llvm_pass_plugins": "/no/such.so"}, CompileError, r"plugin '/no/such\.so' cannot be read: No such file"),
    ({"llvm_codegen_passes": "nop-sled"}, ArgumentError, "a machine pass is NAME@before:PASS"),
    ({"llvm_codegen_passes": "nop-sled@pre-emti"}, LlvmPassError, "did you mean 'pre-emit'"),
    ({"llvm_codegen_passes": "crash-on-code@pre-ra"}, LlvmPassError, "'crash-on-code' crashed: signal 11"),
]


@pytest.mark.parametrize(("passes", "error", "message"), WRONG)
def test_what_is_wrong_is_an_error_at_the_call(
    hipsim: HipsimBench,
    plugin: Path,
    rng: np.random.Generator,
    passes: dict[str, Any],
    error: type[Exception],
    message: str,
) -> None:
    hipsim.use("gfx942")
    with pytest.raises(error, match=message):
        check(scale(**{"llvm_pass_plugins": plugin, "llvm_codegen_plugins": plugin, **passes}), rng)
    check(scale(), rng)


def test_a_plugin_alone_takes_part_in_the_default_pipeline(plugin: Path) -> None:
    assert compiled("gfx942", llvm_pass_plugins=plugin) == compiled("gfx942")
