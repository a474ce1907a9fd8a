"""Installing the simulator: in processes of their own, which have no HIP yet."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

CHOOSING = ("FLYDSL_COMPILE_BACKEND", "FLYDSL_RUNTIME_KIND", "FLYDSL_HIPSIM")


def run(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A script in a fresh process."""
    inherited = {name: value for name, value in os.environ.items() if name not in CHOOSING}
    command = [sys.executable, "-c", script]
    return subprocess.run(command, env={**inherited, **environment}, capture_output=True, text=True, check=False)


PAIR = """
from flydsl.plugins.active.selection import active_pair
from flydsl.plugins.active.stack import device_runtime
def show():
    runtime = device_runtime()
    print(active_pair().runtime.name, runtime.status().available, runtime.device_count())
"""


def shown(script: str, **environment: str) -> str:
    done = run(PAIR + script, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_it_is_never_chosen_by_default() -> None:
    assert shown("show()") == "cpu True 1"
    assert shown("show()", FLYDSL_COMPILE_BACKEND="rocm") == "hip False 0"


def test_a_library_that_is_loaded_for_its_engine_has_no_devices_until_it_is_installed() -> None:
    engine = "from flydsl_hipsim.native import load_library\nload_library()\nshow()\n"
    install = (
        "import flydsl_hipsim\nflydsl_hipsim.install('gfx1100')\nfrom flydsl_hipsim.simulator import hip_functions\n"
    )
    count = "import ctypes\nn = ctypes.c_int()\nprint(hip_functions().hipGetDeviceCount(ctypes.byref(n)), n.value)"
    assert shown(engine + install + count, FLYDSL_COMPILE_BACKEND="rocm") == "hip False 0\n0 1"


def test_installed_it_is_the_runtime_of_its_kind() -> None:
    install = "import flydsl_hipsim\nflydsl_hipsim.install('gfx1100', devices=2)\n"
    assert shown(install + "show()\nprint([device_runtime().device_info(i).arch for i in range(2)])") == (
        "hipsim True 2\n['gfx1100', 'gfx1100']"
    )
    assert shown(install + "show()", FLYDSL_RUNTIME_KIND="rocm") == "hipsim True 2"


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"FLYDSL_HIPSIM": "gfx942,devices=3"}, "hipsim True 3"),
        ({"FLYDSL_HIPSIM": "gfx942,gfx950", "FLYDSL_RUNTIME_KIND": "rocm"}, "hipsim True 2"),
        ({"FLYDSL_RUNTIME_KIND": "hipsim"}, "hipsim True 1"),
        ({"FLYDSL_RUNTIME_KIND": "hip", "FLYDSL_HIPSIM": "gfx942"}, "hip False 0"),
    ],
)
def test_the_environment_can_ask_for_it(environment: dict[str, str], expected: str) -> None:
    assert shown("show()", **environment) == expected


def test_code_is_cached_under_one_key_however_it_was_chosen() -> None:
    key = "from flydsl.plugins.active.fingerprint import fingerprint\nprint(fingerprint(active_pair()))"
    install = "import flydsl_hipsim\nflydsl_hipsim.install()\n"
    assert shown(install + key) == shown(key, FLYDSL_HIPSIM="gfx942")


def test_a_wrong_setting_is_a_state_with_a_reason() -> None:
    script = "print(device_runtime().status().reason)"
    assert shown(script, FLYDSL_HIPSIM="gfx7") == (
        "FLYDSL_HIPSIM is 'gfx7': no chip 'gfx7' can be simulated, known: "
        "gfx90a, gfx942, gfx950, gfx1100, gfx1101, gfx1102, gfx1103, gfx1150, gfx1151, gfx1152, gfx1153, "
        "gfx1200, gfx1201, gfx1250"
    )


def test_asking_loads_no_library() -> None:
    script = "show()\nprint('libamdhip64' in open('/proc/self/maps').read())"
    assert shown(script, FLYDSL_RUNTIME_KIND="hipsim") == "hipsim True 1\nFalse"


def test_options_may_change_later_and_used_devices_may_not() -> None:
    script = """
import flydsl_hipsim
from flydsl.base.errors import RuntimeStackError
flydsl_hipsim.install('gfx942')
flydsl_hipsim.install('gfx950', devices=2)
show()
device_runtime().device_info(0)
flydsl_hipsim.install('gfx950', devices=2, order='backward')
try:
    flydsl_hipsim.install('gfx942')
except RuntimeStackError as error:
    print(error)
"""
    assert shown(script).splitlines() == [
        "hipsim True 2",
        "the devices gfx942 cannot be simulated: the operation cannot be performed in the present state: "
        "devices are in use already: choose them before the first call",
    ]


@pytest.fixture
def other_hip(tmp_path: Path) -> Path:
    """A library that is named as HIP's."""
    folder = tmp_path / "rocm" / "lib"
    folder.mkdir(parents=True)
    command = ["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", str(folder / "libamdhip64.so")]
    subprocess.run(command, input="int hipGetDeviceCount(int *n) { return *n = 9, 0; }", text=True, check=True)
    return folder / "libamdhip64.so"


def test_it_is_refused_beside_another_hip(other_hip: Path) -> None:
    script = f"""
import ctypes, flydsl_hipsim
from flydsl.base.errors import RuntimeStackError
ctypes.CDLL({str(other_hip)!r})
try:
    flydsl_hipsim.install()
except RuntimeStackError as error:
    print(error)
show()
print(device_runtime().status().reason)
"""
    first, *rest = shown(script, FLYDSL_RUNTIME_KIND="hipsim").splitlines()
    expected = f"another HIP library is loaded already: {other_hip}; install the simulator before its first use"
    assert first == expected
    assert rest == ["hipsim False 0", expected]


def test_hip_python_takes_it_where_another_hip_is_installed(other_hip: Path) -> None:
    script = """
import flydsl_hipsim
flydsl_hipsim.install('gfx942', devices=2)
show()
from rocm.bindings import hip
print(int(hip.hipGetDeviceCount()[1]))
"""
    assert shown(script, ROCM_PATH=str(other_hip.parents[1])) == "hipsim True 2\n2"


def test_leaks_and_misuses_are_reported_at_the_end() -> None:
    script = """
import flydsl_hipsim
flydsl_hipsim.install(report=True)
from rocm.bindings import hip
kept, freed = hip.hipMalloc(1000)[1], hip.hipMalloc(8)[1]
stream, event = hip.hipStreamCreate()[1], hip.hipEventCreate()[1]
hip.hipFree(freed), hip.hipFree(freed), hip.hipStreamBeginCapture(stream, hip.hipStreamCaptureMode(0))
graph = hip.hipStreamEndCapture(stream)[1]
"""
    done = run(script)
    assert (done.returncode, done.stdout) == (0, "")
    lines = done.stderr.splitlines()
    assert lines[0] == "hipsim: at exit"
    assert lines[1].startswith("misuse: hipFree(")
    assert lines[2].startswith("leaked: 1000 bytes at ")
    assert lines[3:] == ["leaked: 1 streams", "leaked: 1 events", "leaked: 1 graphs and 0 executable graphs"]


def test_code_that_stays_loaded_is_no_leak(tmp_path: Path) -> None:
    script = tmp_path / "kept.py"
    script.write_text("""
import numpy as np
import flydsl.compiler as flyc
import flydsl.expr as fx

@flyc.kernel
def double_kernel(x: fx.Tensor):
    x[fx.thread_idx.x] = x[fx.thread_idx.x] * 2

@flyc.jit
def double(x: fx.Tensor):
    double_kernel(x).launch(grid=1, block=4)

x = np.arange(4)
double(x)
print(x)
""")
    environment = {**os.environ, "FLYDSL_COMPILE_BACKEND": "rocm", "FLYDSL_HIPSIM": "gfx942,report"}
    done = subprocess.run([sys.executable, str(script)], env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[0 2 4 6]\n", "")


def test_the_doctor_shows_it_as_a_simulator() -> None:
    command = [sys.executable, "-m", "flydsl.tools.cli"]
    environment = {name: value for name, value in os.environ.items() if name not in CHOOSING}
    found = {}
    for tool in ("doctor", "backends"):
        done = subprocess.run([*command, tool], env=environment, capture_output=True, text=True, check=False)
        found[tool] = done.stdout
    assert "hipsim (kind rocm, simulator): 1 device" in found["doctor"]
    assert "hip (kind rocm): no device" in found["doctor"]
    assert f"hipsim     flydsl-hipsim {version('flydsl-hipsim')}, kind rocm, simulator, 1 device" in found["backends"]
