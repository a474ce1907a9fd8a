"""Forks of a process that uses simulated devices: the child's work is its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BEGIN = """
import ctypes, os, signal, sys, threading
import numpy as np
os.environ["FLYDSL_COMPILE_BACKEND"] = "rocm"
import flydsl_hipsim
flydsl_hipsim.install("gfx942", devices=2)
import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import RuntimeFailure
from flydsl.plugins.active.stack import claim_runtime

@flyc.kernel
def fill_kernel(x: fx.Pointer, n: fx.Int32, value: fx.Float32):
    i = fx.block_idx.x * 64 + fx.thread_idx.x
    if i < n:
        x[i] = value

@flyc.jit
def fill(x: fx.Tensor, n: fx.Int32, value: fx.Float32):
    fill_kernel(fx.get_iter(x), n, value).launch(grid=(n + 63) // 64, block=64)

@flyc.jit
def fill_at(x: fx.Pointer, n: fx.Int32, value: fx.Float32, stream: fx.Stream):
    fill_kernel(x, n, value).launch(grid=(n + 63) // 64, block=64, stream=stream)

def filled(value, n=300):
    x = np.zeros(n, np.float32)
    fill(x, n, value)
    return bool((x == value).all())

def in_child(body):
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    code = 99
    try:
        signal.alarm(100)
        code = body() or 0
    finally:
        os._exit(code)

def ok(body):
    return in_child(lambda: 0 if body() else 1) == 0
"""


def run(folder: Path, script: str) -> str:
    file = folder / "script.py"  # kernels have their source in a file
    file.write_text(BEGIN + script)
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_child_launches_what_its_parent_has_compiled_and_what_it_compiles_itself(tmp_path: Path) -> None:
    script = """
assert filled(2.0)
@flyc.jit
def twice(x: fx.Tensor, n: fx.Int32):
    fill_kernel(fx.get_iter(x), n, 3.0).launch(grid=1, block=64)
def child():
    x = np.zeros(40, np.float32)
    twice(x, 40)
    return filled(4.0) and (x == 3).all() and ok(lambda: filled(5.0))
print(ok(child), filled(6.0))
"""
    assert run(tmp_path, script) == "True True"


def test_memory_and_streams_of_the_parent_are_the_childs_own_copies(tmp_path: Path) -> None:
    script = """
runtime = claim_runtime()
address, stream = runtime.allocate(0, 1200), runtime.create_stream(0)
pointer, found = flyc.from_c_void_p(fx.Float32, address), np.zeros(300, np.float32)
def value(want):
    runtime.copy(found.ctypes.data, address, 1200, stream, 2)
    return bool((found == want).all())
fill_at(pointer, 300, 2.0, stream)
runtime.synchronize_stream(stream)
def child():
    assert value(2)
    fill_at(pointer, 300, 3.0, stream)
    assert value(3)
    other = runtime.allocate(1, 64)
    runtime.free(other)
    runtime.destroy_stream(stream)
    runtime.free(address)
    return True
print(ok(child), value(2))
"""
    assert run(tmp_path, script) == "True True"


def test_work_on_its_way_at_the_fork_is_an_error_of_the_child_that_a_reset_ends(tmp_path: Path) -> None:
    script = """
from flydsl_hipsim.simulator import hip_functions
runtime, hip = claim_runtime(), hip_functions()
assert filled(1.0)
stream, proceed = runtime.create_stream(0), threading.Event()
made = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: proceed.wait(100) and None)
address = runtime.allocate(0, 1200)
hip.hipLaunchHostFunc(ctypes.c_void_p(stream), made, None)
fill_at(flyc.from_c_void_p(fx.Float32, address), 300, 7.0, stream)
def child():
    try:
        runtime.synchronize_stream(stream)
    except RuntimeFailure as error:
        assert "was forked while the device had work" in str(error) and "synchronise before the fork" in str(error)
    else:
        return False
    hip.hipDeviceReset()
    return filled(2.0)
print(ok(child))
proceed.set()
runtime.synchronize_stream(stream)
found = np.zeros(300, np.float32)
runtime.copy(found.ctypes.data, address, 1200, 0, 2)
print((found == 7).all())
"""
    assert run(tmp_path, script).split() == ["True", "True"]


def test_forks_while_other_threads_are_inside_of_the_library(tmp_path: Path) -> None:
    """Threads that take memory, copy, and launch, all the time: no lock of theirs stays closed in a child."""
    script = """
from flydsl_hipsim.simulator import hip_functions
runtime, hip = claim_runtime(), hip_functions()
assert filled(1.0)
done, failed = threading.Event(), []
def take():
    while not done.is_set():
        runtime.free(runtime.allocate(0, 4096))
def launch():
    while not done.is_set():
        if not filled(2.0):
            failed.append("wrong")
def record():
    stream = runtime.create_stream(1)
    while not done.is_set():
        event = runtime.create_event(1)
        runtime.record_event(event, stream)
        runtime.synchronize_event(event)
        runtime.destroy_event(event)
threads = [threading.Thread(target=one) for one in (take, launch, record)]
for thread in threads:
    thread.start()
def child():
    hip.hipSetDevice(0)
    hip.hipDeviceReset()
    runtime.free(runtime.allocate(1, 64))
    return filled(3.0)
results = [ok(child) for _ in range(12)]
done.set()
for thread in threads:
    thread.join()
print(all(results), failed)
"""
    assert run(tmp_path, script) == "True []"


def test_a_pool_of_forked_processes_works(tmp_path: Path) -> None:
    script = """
import multiprocessing
assert filled(1.0)
with multiprocessing.get_context("fork").Pool(3) as pool:
    print(pool.map(filled, [float(n) for n in range(12)]) == [True] * 12, filled(2.0))
"""
    assert run(tmp_path, script) == "True True"
