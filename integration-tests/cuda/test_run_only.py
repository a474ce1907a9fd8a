"""A cache that is filled here runs where no toolchain is, on a driver that logs its calls and their arguments."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

FAKE_DRIVER = Path(__file__).resolve().parents[2] / "packages/flydsl-cuda/tests/runtime/fake_cuda.c"
PROGRAM = """
import ctypes, json, sys

class Without:
    def find_spec(self, name, *rest):
        if "--no-toolchain" in sys.argv and name.partition(".")[0] in ("flydsl_mlir", "mlir", "xdsl"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Without())
import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FlyDSLError
from flydsl.plugins import DeviceRef, DType, TensorAdaptor, TensorAdaptorManifest, TensorDesc, register_tensor_adaptor
from flydsl.adaptors.dtypes import DTYPES


class Vector:
    pass


class Adaptor(TensorAdaptor):
    name = "vector"

    def describe(self, obj):
        return TensorDesc(0x10000, (1000,), (1,), DTYPES["float32"], DeviceRef(2, 0))

    def signature(self, obj):
        return 1000

    def pointer(self, obj):
        return 0x10000


@flyc.kernel
def scale_kernel(x: fx.Tensor, factor: fx.Float32):
    i = fx.block_idx.x * 64 + fx.thread_idx.x
    if i < fx.get_scalar(fx.size(x)):
        x[i] = x[i] * factor


@flyc.jit
def scale(x: fx.Tensor, factor: fx.Float32):
    scale_kernel(x, factor).launch(grid=fx.ceil_div(x.shape[0], 64), block=64)


flyc.use_pair("cuda")
register_tensor_adaptor(TensorAdaptorManifest(name="vector", factory=Adaptor, claims=lambda cls: cls is Vector))
if "--no-toolchain" in sys.argv:
    driver = ctypes.CDLL("libcuda.so.1")
    (ctypes.c_uint32 * 8).in_dll(driver, "fake_param_sizes")[0] = 8
try:
    scale(Vector(), float(sys.argv[1]))
except FlyDSLError as error:
    sys.exit(f"{type(error).__name__}: {error}")
if "--no-toolchain" in sys.argv:
    log = (ctypes.c_char * (1 << 16)).in_dll(driver, "fake_log").value.decode().splitlines()
    pointer = (ctypes.c_char * 256).in_dll(driver, "fake_params").raw[:8]
    print(json.dumps([[line for line in log if line.startswith(("cuLaunch", "cuModuleLoad"))], pointer.hex()]))
"""


def run(folder: Path, *arguments: str, **environment: str) -> Any:
    (folder / "program.py").write_text(PROGRAM)
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("FLYDSL_", "COMPILE"))}
    paths = {"FLYDSL_RUNTIME_CACHE_DIR": str(folder / "cache"), "LD_LIBRARY_PATH": str(folder)}
    return subprocess.run(
        [sys.executable, str(folder / "program.py"), *arguments],
        env={**inherited, **paths, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a fake driver and a cache that was filled for its chip."""
    folder = tmp_path_factory.mktemp("machine")
    subprocess.run(["cc", "-shared", "-fPIC", str(FAKE_DRIVER), "-o", str(folder / "libcuda.so.1")], check=True)
    done = run(folder, "2.5", COMPILE_ONLY="1", FLYDSL_COMPILE_ARCH="sm_90a", LD_LIBRARY_PATH="")
    assert done.returncode == 0, done.stderr
    return folder


def test_what_was_compiled_here_is_launched_there(machine: Path) -> None:
    done = run(machine, "2.5", "--no-toolchain", FLYDSL_RUNTIME_RUN_ONLY="1")
    assert done.returncode == 0, done.stderr
    log, pointer = json.loads(done.stdout)
    assert [line.partition("(")[0] for line in log] == ["cuModuleLoadDataEx", "cuLaunchKernel"]
    assert ", 16 1 1, 64 1 1, 0, 0, 0 on 0)" in log[1]
    assert int.from_bytes(bytes.fromhex(pointer), "little") == 0x10000


def test_code_for_another_chip_is_not_taken(machine: Path) -> None:
    done = run(machine, "2.5", "--no-toolchain", FLYDSL_RUNTIME_RUN_ONLY="1", FLYDSL_COMPILE_ARCH="sm_80")
    assert "CacheOnlyError: 'scale' is not in the cache for cuda:sm_80" in done.stderr


def test_without_the_setting_the_toolchain_is_missing(machine: Path) -> None:
    assert "ToolchainMissingError" in run(machine, "2.5", "--no-toolchain").stderr
