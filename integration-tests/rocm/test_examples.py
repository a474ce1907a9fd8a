"""The examples' kernels compiled for AMD GPUs: their shared memory is LDS, their shuffles stay in the wave."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples"


def example(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module of an example, which asks for the CPU when nothing else is chosen."""
    monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", "rocm")
    spec = importlib.util.spec_from_file_location(f"example_{name}", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("name", "function", "dtypes", "instructions"), [
    ("06_shared_memory_transpose", "transpose", ("float32[2]", "float32[2]"), ("b32", "s_barrier")),
    ("07_block_reduction", "reduce_rows", ("float32[2]", "float32[1]", "float32[1]"), ("s_barrier", "v_max")),
    ("08_scan", "scan_rows", ("int32[2]", "int32[2]"), ("s_barrier", "ds_bpermute_b32")),
])  # fmt: skip
@pytest.mark.parametrize("arch", ["gfx942", "gfx1100"])
def test_an_example_compiles(name, function, dtypes, instructions, arch, monkeypatch):
    tensors = [np.zeros((40,) * int(text[-2]), text[:-3]) for text in dtypes]
    isa = getattr(example(name, monkeypatch), function).trace(*tensors, arch=arch).lower().compile().disassemble()
    reads, writes = ("ds_read", "ds_write") if arch == "gfx942" else ("ds_load", "ds_store")
    for instruction in (reads, writes, *instructions):
        assert instruction in isa
    assert "flat_" not in isa
