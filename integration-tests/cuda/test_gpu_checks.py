"""Scripts that run on a GPU by hand: their kernels, compiled here, and the table of what they measured."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import flydsl.compiler as flyc
from flydsl_cuda.code_object import CodeObject

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks/gpu"
NARROW = {
    "bfloat16": ml_dtypes.bfloat16,
    "float8_e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8_e5m2": ml_dtypes.float8_e5m2,
}


@pytest.fixture
def check(request: pytest.FixtureRequest) -> Iterator[ModuleType]:
    """A script of the folder as a module, by the name that the test gives."""
    before = list(sys.path)
    spec = importlib.util.spec_from_file_location(f"gpu_{request.param}", FOLDER / f"{request.param}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look for the names of annotations
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]
    sys.path[:] = before


def code_of(function: Any, *arguments: Any) -> CodeObject:
    return CodeObject.from_bytes(function.trace(*arguments, backend="cuda", arch="sm_90a").lower().compile().device)


@pytest.mark.parametrize("check", ["check_mma"], indirect=True)
def test_every_product_of_warps_is_instructions_without_spills(check: ModuleType) -> None:
    for case in check.CASES:
        kinds = (np.dtype(NARROW.get(name, name)) for name in check.types_of(case))
        arrays = [check.marked(np.zeros((check.M, check.K), kind)) for kind in kinds]
        found = code_of(check.product(case), *arrays)
        words = {"copy": "cp.async.c", "load": "ldmatrix.sync", "store": "stmatrix.sync"}
        assert {key for key, word in words.items() if word in found.ptx} == {key for key in words if case.get(key)}
        assert f"mma.sync.aligned.m16n8k{case['k']}." in found.ptx
        assert [(one.spill_stores, one.stack) for one in found.kernels.values()] == [(0, 0)] * len(found.kernels)


@pytest.mark.parametrize("check", ["check_cooperative"], indirect=True)
def test_a_grid_that_meets_is_launched_cooperatively(check: ModuleType) -> None:
    values = flyc.from_dlpack(np.zeros((8, check.THREADS), np.int32)).mark_shape_dynamic(dims=[0])
    found = code_of(check.meeting(), values, np.zeros(1, np.int32), 8)
    assert "fence" in found.ptx
    assert "ld.acquire.sys.global" in found.ptx


def test_every_way_of_a_memory_bound_kernel_takes_the_tensors_of_its_case() -> None:
    code = """
import memory, memory_cases
memory.register()
calls = [way(case.nothing()) for case in memory_cases.cases() for way in case.ways.values()]
print(len(calls), all(map(callable, calls)))
"""
    path = os.pathsep.join([str(FOLDER), str(FOLDER.parents[1] / "examples")])
    command = [sys.executable, "-c", code]  # a process of its own, which others do not see the adaptor of
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False)
    count, _, are_calls = done.stdout.strip().partition(" ")
    assert are_calls == "True", done.stderr
    assert int(count) > 100


@pytest.mark.parametrize("check", ["bench_all"], indirect=True)
def test_figures_are_compared_with_their_targets(
    check: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = importlib.import_module("figures")
    figures.record("product", "8192,8192,8192 bfloat16 nn", "TFLOP/s", {"FlyDSL": 700.0, "torch": 710, "Triton": 701})
    figures.record("product", "128,8192,8192 bfloat16 nn", "TFLOP/s", {"FlyDSL": 450.0, "torch": 460})
    figures.record("launch", "add", "us", {"FlyDSL": 3.9, "driver, cuLaunchKernel from C": 3.0})
    figures.record("cumsum", "2^28", "TB/s", {"FlyDSL": 3.6, "torch": 2.6})
    figures.record("softmax", "1024", "TB/s", {"FlyDSL": 4.0, "torch": 3.9, "Triton": 4.2})
    figures.write(tmp_path / "figures.json", figures.RECORDED)
    check.print_targets(figures.read(tmp_path / "figures.json"))
    *lines, summary = capsys.readouterr().out.splitlines()[2:]
    assert [re.findall(r" (\d\.\d{3}) +([\d.]+) +(missed|)", line)[0] for line in lines] == [
        ("0.986", "0.97", ""),
        ("0.999", "1", "missed"),
        ("0.978", "1", "missed"),
        ("0.900", "1", ""),
        ("3.600", "3.5", ""),
        ("0.952", "1", "missed"),
    ]
    assert summary == "3 of 6 met"


@pytest.mark.parametrize("check", ["bench_all"], indirect=True)
def test_every_benchmark_has_a_target(check: ModuleType) -> None:
    scripts = [FOLDER / f"{script}.py" for script in (*check.SCRIPTS, "backward_cases", "decode_cases")]
    recorded = {name for path in scripts for name in re.findall(r'record\(\s*"([^"]+)"', path.read_text())}
    assert recorded == {"attention", "attention backward", "decode", "epilogue", "grouped product", "launch", "product"}
    assert recorded <= {target.kernel for target in check.TARGETS}
