"""The cuda runtime without a driver, and all of it on a driver that logs its calls."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

SUITE = Path(__file__).with_name("suite_on_fake_driver.py")


def run(script: str, **environment: str) -> str:
    """The output of a script in a process of its own, which has no driver yet."""
    prelude = "from flydsl_cuda.runtime.device_runtime import CudaRuntime\nruntime = CudaRuntime()\n"
    command = [sys.executable, "-c", prelude + script]
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=True)
    return done.stdout.strip()


WITHOUT_LIBRARY = """
import flydsl_cuda.runtime.library as library
library.DRIVER = "libcuda-absent.so.1"
"""


def test_machine_without_the_library_has_no_device_and_says_why() -> None:
    script = "print(runtime.status().available, runtime.device_count(), runtime.status().reason)"
    found = run(WITHOUT_LIBRARY + script)
    assert found.startswith("False 0 the cuda runtime cannot be used: the CUDA driver cannot be used: ")
    assert "libcuda-absent.so.1: cannot open shared object file" in found


def test_device_work_without_the_library_raises_the_same_reason() -> None:
    script = """
from flydsl.base.errors import NoDeviceError
calls = runtime.current_ordinal, runtime.api_table, lambda: runtime.allocate(0, 8), lambda: runtime.device_info(0)
for call in calls:
    try:
        call()
    except NoDeviceError as error:
        print(error)
"""
    found = run(WITHOUT_LIBRARY + script).splitlines()
    assert ["libcuda-absent.so.1" in line or "there is no GPU 0" in line for line in found] == [True] * 4


def test_a_driver_that_is_too_old_is_named_with_the_one_that_is_needed(
    tmp_path: Path, build_driver: Callable[..., Path]
) -> None:
    build_driver(tmp_path / "libcuda.so.1", "-DVERSION=11080")
    found = run("print(runtime.status().reason)", LD_LIBRARY_PATH=str(tmp_path))
    assert "the CUDA driver is for CUDA 11.8, and 12.0 or newer is needed: update the driver" in found


def test_driver_without_devices_is_a_state_with_a_reason(tmp_path: Path, build_driver: Callable[..., Path]) -> None:
    build_driver(tmp_path / "libcuda.so.1", "-DDEVICES=0")
    script = "print(runtime.status().available, runtime.device_count(), runtime.status().reason)"
    reason = (
        "the cuda runtime cannot be used: the CUDA driver cannot be used: cuInit: CUDA_ERROR_FAKE_100: fake error 100"
    )
    assert run(script, LD_LIBRARY_PATH=str(tmp_path)) == f"False 0 {reason}"


def test_everything_on_a_fake_driver(tmp_path: Path, build_driver: Callable[..., Path]) -> None:
    build_driver(tmp_path / "libcuda.so.1")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib", str(SUITE)]
    environment = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout
