"""Machine passes of plugins in AMD code: at every named point, of many plugins at once, and what is wrong with some."""

from __future__ import annotations

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.examples import load_example
from support.llvm_plugins import passes, passes_with_sled
from support.matmul import matmul_of

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import ArgumentError, CompileError, LlvmPassError, ToolchainError
from flydsl_hipsim.bench import HipsimBench

SLED = re.compile(r"^\s*s_nop 5\b", re.MULTILINE)
POINTS = ("post-isel", "pre-ra", "post-ra", "pre-sched2", "pre-emit2", "after:si-insert-waitcnts", "after:si-wqm")


@flyc.kernel
def sum_kernel(x: fx.Tensor, y: fx.Tensor):
    i = fx.block_idx.x * 64 + fx.thread_idx.x
    if i < fx.get_scalar(fx.size(x)):
        y[i] = x[i] + 1.0


@flyc.jit
def add_one(x: fx.Tensor, y: fx.Tensor):
    sum_kernel(x, y).launch(grid=fx.ceil_div(x.shape[0], 64), block=64)


def hints(passes: str, *plugins: Path, **more: Any) -> dict[str, Any]:
    return {"llvm_codegen_passes": passes, "llvm_codegen_plugins": tuple(map(str, plugins)), **more}


def isa_of(chosen: dict[str, Any], arch: str = "gfx942") -> str:
    """The instructions of a small kernel."""
    function = flyc.jit(**chosen)(add_one.__wrapped__)
    x = np.zeros(100, np.float32)
    return function.trace(x, x, arch=arch).lower().compile().disassemble()


def product(chip: str, rng: np.random.Generator, chosen: dict[str, Any]) -> str:
    """A product by matrix instructions on a simulated chip, checked: on gfx942 with tiles in LDS. Its instructions."""
    if chip == "gfx942":
        a, b = rng.standard_normal((37, 19), np.float32), rng.standard_normal((19, 67), np.float32)
        c, function, more = np.full((37, 67), np.nan, np.float32), load_example("12_tiled_gemm").gemm, ("mfma",)
        expected = a.astype(np.float64) @ b.astype(np.float64)
    else:
        a, b = (rng.standard_normal((rows, 21)).astype(np.float16) for rows in (37, 67))
        function = matmul_of(lambda: fx.rocdl.WMMA(16, 16, 16, fx.Float16), ((2, 2, 1), (1, 2, 1)), None, (1, 2, 1))
        c, more, expected = np.full((37, 67), np.nan, np.float32), (), a.astype(np.float64) @ b.astype(np.float64).T
    compiled = flyc.compile[chosen](function, a, b, c, *more)
    compiled(a, b, c, *more)
    np.testing.assert_allclose(c, expected, rtol=1e-3, atol=1e-4)
    return compiled.artifact.disassemble()


@pytest.mark.parametrize("chip", ["gfx942", "gfx1100"])
@pytest.mark.parametrize("point", POINTS)
def test_a_sled_is_in_the_code_wherever_it_is_inserted(
    chip: str, point: str, rng: np.random.Generator, hipsim: HipsimBench
) -> None:
    hipsim.use(chip)
    isa = product(chip, rng, hints(f"nop-sled@{point}", passes()))
    assert re.search("mfma|wmma", isa)
    assert len(SLED.findall(isa)) == 3


def test_without_the_pass_the_code_has_no_sled() -> None:
    assert not SLED.search(isa_of({}))


def test_without_the_plugin_there_is_no_such_pass() -> None:
    with pytest.raises(LlvmPassError, match="no machine pass 'nop-sled'"):
        isa_of(hints("nop-sled@pre-emit2"))


def test_the_last_point_is_right_before_emission() -> None:
    lines = isa_of(hints("nop-sled@pre-emit2", passes())).splitlines()
    first = next(number for number, line in enumerate(lines) if line.endswith(":")) + 1
    assert [bool(SLED.match(line)) for line in lines[first : first + 4]] == [True, True, True, False]


def test_passes_run_in_the_order_in_which_they_are_named(tmp_path: Path) -> None:
    """Each puts its instructions in front of what is there."""
    isa = isa_of(hints("nop-sled@pre-emit2, any-nop@pre-emit2", passes()))
    first = [line.split("//")[0].strip() for line in isa.splitlines() if "s_nop" in line][:4]
    assert first == ["s_nop 0", "s_nop 5", "s_nop 5", "s_nop 5"]


def test_many_threads_compile_with_plugins_of_their_own(tmp_path: Path) -> None:
    """The passes have one name, and the plugins differ: each compilation runs that of its plugin."""
    plugins = [passes_with_sled(length, tmp_path) for length in range(1, 17)]

    def compiled(plugin: Path) -> int:
        return len(SLED.findall(isa_of(hints("nop-sled@pre-emit2", plugin), "gfx1100")))

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(compiled, plugins)) == list(range(1, 17))


def test_a_plugin_that_changes_changes_the_code(tmp_path: Path) -> None:
    plugin = passes_with_sled(2, tmp_path)
    assert len(SLED.findall(isa_of(hints("nop-sled@pre-emit2", plugin)))) == 2
    plugin.write_bytes(passes_with_sled(9, tmp_path).read_bytes())
    assert len(SLED.findall(isa_of(hints("nop-sled@pre-emit2", plugin)))) == 9


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ("nop-slad@pre-emit2", "no machine pass 'nop-slad'.*did you mean 'nop-sled'"),
        ("nop-sled@pre-emot2", "no pass 'pre-emot2'; did you mean 'pre-emit2'"),
        ("nop-sled@after:si-insert-waitcnt", "did you mean 'si-insert-waitcnts'"),
        ("crash-on-code@pre-emit2", "machine pass 'crash-on-code' crashed"),
        ("unknown-opcode@pre-emit2", "target 'amdgcn' has no instruction 'S_NIP'"),
    ],
)
def test_passes_that_cannot_run_are_errors_and_the_process_goes_on(request_: str, message: str) -> None:
    with pytest.raises(LlvmPassError, match=message):
        isa_of(hints(request_, passes()))
    assert len(SLED.findall(isa_of(hints("nop-sled@pre-emit2", passes())))) == 3


def test_a_request_that_names_no_point_is_an_error() -> None:
    with pytest.raises(ArgumentError, match="NAME@ALIAS"):
        isa_of(hints("nop-sled", passes()))


@pytest.mark.parametrize(
    ("pipeline", "message"),
    [
        ("break-ir", "pass 'break-ir' made LLVM IR that is not valid.*does not have terminator"),
        ("crash-on-ir", "pass 'crash-on-ir' crashed"),
        ("refuse-ir", "nothing to do in 'sum_kernel_0'"),
        ("count-laods", "unknown .*'count-laods'"),
        ("function(count-functions)", "pass 'count-functions' is over modules"),
    ],
)
def test_passes_over_llvm_ir_that_cannot_run_are_errors_and_the_process_goes_on(pipeline: str, message: str) -> None:
    with pytest.raises(ToolchainError, match=f"(?s){message}"):
        isa_of({"llvm_pass_pipeline": pipeline, "llvm_pass_plugins": str(passes())})
    assert "s_endpgm" in isa_of({"llvm_pass_pipeline": "count-loads", "llvm_pass_plugins": str(passes())})


def test_files_that_are_no_plugins_are_errors(tmp_path: Path) -> None:
    text = tmp_path / "text.so"
    text.write_text("no library")
    with pytest.raises(CompileError, match=r"none\.so.*No such file"):
        isa_of(hints("nop-sled@pre-emit2", tmp_path / "none.so"))
    with pytest.raises(LlvmPassError, match=r"text\.so.*ELF file"):
        isa_of(hints("nop-sled@pre-emit2", text))
    library = next(Path("/usr/lib").glob("*/libm.so.6"))
    with pytest.raises(LlvmPassError, match=r"libm\.so\.6.*uses nothing of LLVM"):
        isa_of(hints("nop-sled@pre-emit2", library))


def test_a_plugin_of_another_llvm_is_refused_before_its_code_runs(tmp_path: Path) -> None:
    content, start = passes().read_bytes(), b"FlyPass\0"
    assert content.count(start + b"22.") == 1
    other = tmp_path / "other.so"
    other.write_bytes(content.replace(start + b"22.", start + b"21."))
    with pytest.raises(LlvmPassError, match=r"other\.so.*is for LLVM 21\..*LLVM 22\."):
        isa_of(hints("nop-sled@pre-emit2", other))


def test_a_plugin_whose_constructor_crashes_is_an_error(tmp_path: Path) -> None:
    source = tmp_path / "bad.cpp"
    source.write_text(
        """
        namespace llvm { __attribute__((visibility("default"))) int used; }
        struct Crash { Crash() { *reinterpret_cast<volatile int *>(16) = llvm::used; } };
        static Crash crash;
        """
    )
    build = [sys.executable, "-m", "flydsl_mlir.sdk", "build", str(source)]
    subprocess.run(build, check=True, capture_output=True)
    with pytest.raises(LlvmPassError, match=r"bad\.so.* cannot be loaded, it crashed"):
        isa_of(hints("nop-sled@pre-emit2", tmp_path / "bad.so"))
