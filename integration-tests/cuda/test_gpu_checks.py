"""Scripts that run on a GPU by hand, `check_mma.py` and `check_cooperative.py`: their kernels, compiled here."""

from __future__ import annotations

import importlib.util
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
    spec.loader.exec_module(module)
    yield module
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
