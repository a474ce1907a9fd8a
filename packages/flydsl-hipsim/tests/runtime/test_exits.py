"""Processes that end while threads are inside of the simulator; `integration-tests/nightly/exits.py` has more."""

from __future__ import annotations

import subprocess
import sys

import pytest

BEGIN = """
import ctypes, threading, time
import flydsl_hipsim
flydsl_hipsim.install("gfx942")
from flydsl_hipsim.simulator import hip_functions
hip = hip_functions()
def begin(function):
    for _ in range(4):
        threading.Thread(target=function, daemon=True).start()
    time.sleep(0.3)
    print("end", flush=True)
"""
LOADS = """
def load():
    module = ctypes.c_void_p()
    while True:
        hip.hipModuleLoadData(ctypes.byref(module), b"no code object" * 100)
begin(load)
"""
CALLS = """
def called(_):
    time.sleep(0.001)
kept = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(called)
def call():
    stream = ctypes.c_void_p()
    hip.hipStreamCreate(ctypes.byref(stream))
    for _ in range(100_000):
        hip.hipLaunchHostFunc(stream, kept, None)
begin(call)
"""


@pytest.mark.parametrize("script", [LOADS, CALLS])
def test_the_process_ends_as_if_the_threads_were_not_there(script: str) -> None:
    done = subprocess.run([sys.executable, "-c", BEGIN + script], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")
