"""The hip runtime without a driver, and all of it on a driver that logs its calls."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

SUITE = Path(__file__).with_name("suite_on_fake_driver.py")


def run(script: str, **environment: str) -> str:
    """The output of a script in a process of its own, which has no HIP library yet."""
    prelude = "from flydsl_rocm.runtime.device_runtime import HipRuntime\nruntime = HipRuntime()\n"
    command = [sys.executable, "-c", prelude + script]
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=True)
    return done.stdout.strip()


WITHOUT_LIBRARY = """
import flydsl_rocm.runtime.library as library
library.hip_library_path = lambda: b"libamdhip64-absent.so"
"""


def test_machine_without_the_library_has_no_device_and_says_why() -> None:
    script = "print(runtime.status().available, runtime.device_count(), runtime.status().reason)"
    found = run(WITHOUT_LIBRARY + script)
    assert found.startswith("False 0 the hip runtime cannot be used: the HIP library cannot be opened: ")
    assert "libamdhip64-absent.so: cannot open shared object file" in found


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
    assert ["libamdhip64-absent.so" in line or "there is no GPU 0" in line for line in found] == [True] * 4


def test_machine_without_hip_python_says_what_to_install() -> None:
    script = """
import flydsl_rocm.runtime.library as library
library.find_spec = lambda name: None
print(runtime.status().reason)
"""
    assert "hip-python is not installed: pip install 'flydsl-rocm[hip]' (hip-python >= 10)" in run(script)


def test_older_hip_python_is_told_from_none() -> None:
    script = """
import flydsl_rocm.runtime.library as library
library.find_spec = lambda name: object() if name == "hip" else None
print(runtime.status().reason)
"""
    assert "an older hip-python is installed: pip install" in run(script)


def test_asking_for_the_status_imports_no_hip_python_module() -> None:
    assert run("import sys; runtime.status(); print('rocm.bindings.hip' in sys.modules)") == "False"


def test_driver_without_devices_is_a_state_with_a_reason(tmp_path: Path, build_driver: Callable[..., Path]) -> None:
    build_driver(tmp_path / "libamdhip64.so", "-DDEVICES=0")
    script = "print(runtime.status().available, runtime.device_count(), runtime.status().reason)"
    assert run(script, LD_LIBRARY_PATH=str(tmp_path)) == "False 0 the driver reports no device"


def test_two_copies_of_hip_in_a_process_are_refused(tmp_path: Path, build_driver: Callable[..., Path]) -> None:
    (tmp_path / "other").mkdir()
    for folder in (tmp_path, tmp_path / "other"):
        build_driver(folder / "libamdhip64.so")
    script = (
        f"import ctypes; ctypes.CDLL({str(tmp_path / 'other' / 'libamdhip64.so')!r}); print(runtime.status().reason)"
    )
    found = run(script, LD_LIBRARY_PATH=str(tmp_path))
    assert "two HIP libraries are loaded" in found
    assert "set ROCM_PATH to the folder" in found


def test_everything_on_a_fake_driver(tmp_path: Path, build_driver: Callable[..., Path]) -> None:
    build_driver(tmp_path / "libamdhip64.so")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib", str(SUITE)]
    environment = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout
