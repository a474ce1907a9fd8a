"""Ctrl-C while a kernel runs that does not end: the wait is over, the kernel is stopped, the device goes on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BEGIN = """
import ctypes, os, signal, threading, time
import numpy as np
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started the tests may ignore it
os.environ["FLYDSL_COMPILE_BACKEND"] = "rocm"
import flydsl_hipsim
flydsl_hipsim.install("gfx942")
import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import RuntimeFailure
from flydsl.plugins.active.stack import claim_runtime
from flydsl_hipsim.simulator import hip_functions

@flyc.kernel
def count_kernel(x: fx.Pointer, n: fx.Int32):
    for i in range(n):
        fx.atomic_add(x, fx.Int32(1))

@flyc.jit
def count(x: fx.Tensor, n: fx.Int32):
    count_kernel(fx.get_iter(x), n).launch(grid=2, block=1)

@flyc.jit
def count_at(x: fx.Pointer, n: fx.Int32, stream: fx.Stream):
    count_kernel(x, n).launch(grid=2, block=1, stream=stream)

FOR_EVER = (1 << 31) - 1
x = np.zeros(1, np.int32)
count(x, 3)
assert x[0] == 6
runtime = claim_runtime()
stream = runtime.create_stream(0)
address = runtime.allocate(0, 64)
pointer = flyc.from_c_void_p(fx.Int32, address)
count_at(pointer, 3, stream)
runtime.synchronize_stream(stream)

def interrupt_when(begun):
    def watch():
        while not begun():
            time.sleep(0.01)
        time.sleep(0.5)  # for the main thread to begin to wait
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=watch, daemon=True).start()

def interrupted(call, begun):
    try:
        interrupt_when(begun)
        call()
    except KeyboardInterrupt:
        return True
"""
ON_DEVICE = """
count_at(pointer, FOR_EVER, stream)
seen = (ctypes.c_int32 * 1).from_address(address)
print(interrupted({call}, lambda: seen[0] > 1000))
try:
    runtime.synchronize(0)
except RuntimeFailure as error:
    print("an interrupt stopped work of the device before its end" in str(error))
hip_functions().hipDeviceReset()
count(x, 4)
print(x[0])
"""


def run(folder: Path, script: str) -> list[str]:
    file = folder / "script.py"  # kernels have their source in a file
    file.write_text(BEGIN + script)
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_a_call_on_arrays_is_interrupted_and_the_next_one_works(tmp_path: Path) -> None:
    script = """
print(interrupted(lambda: count(x, FOR_EVER), lambda: x[0] > 1000))
before = x[0]
time.sleep(0.2)
print(x[0] == before)
x[0] = 0
count(x, 5)
print(x[0])
"""
    assert run(tmp_path, script) == ["True", "True", "10"]


@pytest.mark.parametrize(
    "call",
    [
        "lambda: runtime.synchronize_stream(stream)",
        "lambda: runtime.free(address)",
    ],
)
def test_a_wait_is_interrupted_and_the_device_says_that_its_work_was_stopped(tmp_path: Path, call: str) -> None:
    assert run(tmp_path, ON_DEVICE.format(call=call)) == ["True", "True", "14"]


def test_other_threads_that_wait_for_their_kernels_are_told(tmp_path: Path) -> None:
    script = """
told, y = [], np.zeros(1, np.int32)
def other():
    try:
        count(y, FOR_EVER)
    except RuntimeFailure as error:
        told.append("an interrupt of another thread stopped a kernel" in str(error))
thread = threading.Thread(target=other)
thread.start()
print(interrupted(lambda: count(x, FOR_EVER), lambda: max(x[0], y[0]) > 1000))
thread.join()
print(told == [True])
"""
    assert run(tmp_path, script) == ["True", "True"]
