"""Kernels that fail on the CPU: exceptions with the kernel, the thread and the line, and a process that goes on."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import RuntimeFailure
from flydsl.runtime.device import Device


@flyc.kernel
def check_kernel(x: fx.Tensor):
    i = fx.thread_idx.x + 8 * fx.block_idx.x
    assert x[i] < 5.0, "values {stay} 100% below five"  # the assertion
    x[i] = -1.0


@flyc.jit
def check(x: fx.Tensor, stream: fx.Stream = fx.Stream(None)):
    check_kernel(x).launch(grid=4, block=8, stream=stream)


def line_of(mark: str) -> int:
    with open(__file__, encoding="utf-8") as lines:
        return next(number for number, line in enumerate(lines, 1) if line.rstrip().endswith(f"# {mark}"))


TEXT = r"kernel 'check_kernel_0', block \(1, 0, 0\), thread \(3, 0, 0\): .*values {stay} 100% below five"


def wrong_array() -> np.ndarray:
    x = np.zeros(32, np.float32)
    x[11] = 7
    return x


@pytest.mark.parametrize("is_prepared", [False, True])
def test_an_assertion_is_an_error_with_its_line(is_prepared, capfd):
    call = flyc.compile(check, np.zeros(32, np.float32), None) if is_prepared else check
    with pytest.raises(RuntimeFailure, match=TEXT) as caught:
        call(wrong_array(), None)
    error = caught.value
    assert error.kernel == "check_kernel_0"
    assert (error.location.file, error.location.line) == (__file__, line_of("the assertion"))
    assert len(error.callers) == 2
    assert "assertion failed" not in capfd.readouterr().out
    x = np.zeros(32, np.float32)
    call(x, None)
    assert (x == -1).all()


def test_an_assertion_in_a_stream_is_an_error_of_its_synchronisation():
    x = np.zeros(32, np.float32)
    with Device(0).create_stream() as stream:
        check(wrong_array(), stream)
        check(x, stream)
        with pytest.raises(RuntimeFailure, match=TEXT) as caught:
            stream.sync()
        assert caught.value.kernel == "check_kernel_0"
        assert (x == -1).all()
        stream.sync()


@flyc.kernel
def poke_kernel(p: fx.Pointer, index: fx.Int64):
    p[index] = 1


@flyc.jit
def poke(p: fx.Pointer, index: fx.Int64):
    poke_kernel(p, index).launch(grid=4, block=1)


def test_an_invalid_access_is_an_error_that_names_the_kernel():
    memory = np.zeros(4, np.int32)
    pointer = flyc.from_c_void_p(fx.Int32, memory.ctypes.data)
    for _ in range(50):
        with pytest.raises(RuntimeFailure, match=r"kernel 'poke_kernel_0', block .*: invalid memory access at"):
            poke(pointer, 1 << 44)
    poke(pointer, 2)
    assert memory[2] == 1


AFTER_CTRL_C = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from test_failing_kernels import *
flyc.use_pair("cpu")
check(np.zeros(32, np.float32))
def caught():
    with open("/proc/self/status") as lines:
        return [line for line in lines if line.startswith("SigCgt")]
before = caught()
try:
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(10**6): pass
except KeyboardInterrupt:
    print("interrupted")
assert caught() == before, (before, caught())
memory = np.zeros(4, np.int32)
try:
    poke(flyc.from_c_void_p(fx.Int32, memory.ctypes.data), 1 << 44)
except RuntimeError:
    print("error")
"""


def test_faults_are_errors_after_an_interrupt_too(tmp_path):
    """A compilation leaves the signal handlers of the process as they were."""
    folder = Path(__file__).parent
    env = {**os.environ, "FLYDSL_COMPILE_BACKEND": "cpu", "FLYDSL_RUNTIME_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", AFTER_CTRL_C]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout.split()) == (0, ["interrupted", "error"]), done.stderr


def large(extent: int, count: int):
    """A kernel with `count` register tensors of `extent` floats."""

    @flyc.kernel
    def sum_kernel(x: fx.Tensor):
        tensors = [fx.make_rmem_tensor(extent, fx.Float32) for _ in range(count)]
        for tensor in tensors:
            for i in range(fx.Int64(extent)):
                tensor[i] = fx.Float32(i)
        total = fx.Float32(0.0)
        for tensor in tensors:
            total = total + tensor[fx.Int64(extent - 1)]
        x[fx.thread_idx.x] = total

    @flyc.jit
    def run(x: fx.Tensor):
        sum_kernel(x).launch(grid=2, block=4)

    return run


@pytest.mark.parametrize(("extent", "count"), [(1 << 22, 1), (1 << 23, 2), (1 << 12, 20)])
def test_register_tensors_of_any_size_run(extent, count):
    x = np.zeros(4, np.float32)
    large(extent, count)(x)
    assert (x == count * (extent - 1)).all()


@pytest.mark.parametrize("extent", [(1 << 30) + 1, 1 << 31])
def test_register_tensors_beyond_the_limit_are_an_error_of_the_launch(extent):
    with pytest.raises(RuntimeFailure, match=r"kernel 'sum_kernel_0': register tensors of 0 bytes a thread and \d+"):
        large(extent, 1)(np.zeros(4, np.float32))


def test_threads_with_small_stacks_run_kernels():
    x = np.zeros(4, np.float32)
    prepared = flyc.compile(large(1 << 12, 20), x)
    before = threading.stack_size(128 << 10)
    try:
        thread = threading.Thread(target=prepared, args=(x,))
        thread.start()
        thread.join(60)
    finally:
        threading.stack_size(before)
    assert (x == 20 * ((1 << 12) - 1)).all()
