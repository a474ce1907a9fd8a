"""Launches of examples on a driver that logs them: how many blocks there are is a matter of speed alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.fake_driver import builder

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import importlib, re, sys

from memory import Memory, register
from support.fake_driver import FakeDriver

register()
name, shapes, numbers = sys.argv[1], eval(sys.argv[2]), eval(sys.argv[3])
tensors = [Memory(shape, "int32" if len(shape) == 1 else "bfloat16") for shape in shapes]
getattr(importlib.import_module(name), name.split("_", 2)[2])(*tensors, *numbers)
launches = [line for line in FakeDriver("libcuda.so.1").log() if line.startswith("cuLaunch")]
print(*(re.search(r", (\\d+) 1 1,", line)[1] for line in launches))
"""
HEADS, MATRIX = (4, 130, 128), (256, 256)
LAUNCHES = {
    "cuda_02_gemm": ((MATRIX,) * 3, ("{}",)),
    "cuda_03_attention": ((HEADS,) * 4, ("False", "None", "128", "{}")),
    "cuda_09_grouped_gemm": ((MATRIX, (3, *MATRIX), (3,), MATRIX), ("{}",)),
}
"""Tensors and numbers of a launch by so many blocks."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("driver")
    builder(ROOT / "packages/flydsl-cuda/tests/runtime/fake_cuda.c")(found / "libcuda.so.1")
    return found


@pytest.mark.parametrize(("blocks", "launched"), [(132, 132), (0, 1), (-1, 1)])
@pytest.mark.parametrize("name", LAUNCHES)
def test_blocks_that_stay_are_one_at_least(name: str, blocks: int, launched: int, folder: Path) -> None:
    shapes, numbers = LAUNCHES[name]
    paths = [ROOT / "examples", ROOT / "benchmarks/gpu", ROOT / "integration-tests/lib"]
    environment = {
        "PYTHONPATH": os.pathsep.join([*map(str, paths), os.environ.get("PYTHONPATH", "")]),
        "FLYDSL_COMPILE_BACKEND": "cuda",
        "FLYDSL_COMPILE_ARCH": "sm_90a",
        "FLYDSL_RUNTIME_CACHE_DIR": str(folder / "cache"),
        "LD_LIBRARY_PATH": str(folder),
    }
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("FLYDSL_", "COMPILE"))}
    given = f"({', '.join(numbers)},)".format(blocks)
    command = [sys.executable, "-c", PROGRAM, name, repr(shapes), given]
    done = subprocess.run(command, env=inherited | environment, capture_output=True, text=True, check=False)
    assert done.stdout.split() == [str(launched)], done.stderr
