"""Kernels that fail: an error that says which block did what, and a process and streams that go on."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from flydsl.base.errors import RuntimeFailure
from flydsl.runtime.buffer import Buffer
from flydsl.runtime.device import Device
from flydsl.runtime.kernel import ObjectCode
from flydsl.runtime.launch import LaunchConfig, launch

FAILURES = {
    0: r"kernel 'failing', block \(3, 0, 0\), thread \(1, 2, 3\): file.c:7: assertion failed",
    1: r"kernel 'failing', block \(3, 0, 0\): invalid memory access at address 0x10",
    2: r"kernel 'failing', block \(3, 0, 0\): trap",
    3: r"kernel 'failing', block \(3, 0, 0\): arithmetic fault",
    4: r"kernel 'failing', block \(3, 0, 0\): invalid memory access at address 0x",
}


def assert_usable(device: Device, code: ObjectCode, stream) -> None:
    counts = np.zeros(1000, np.int32)
    memory = Buffer.from_handle(counts.ctypes.data, counts.nbytes, device)
    launch(stream, LaunchConfig(1000, 1), code.get_kernel("count"), memory)
    stream.sync()
    assert (counts == 1).all()


@pytest.mark.parametrize("what", FAILURES)
@pytest.mark.parametrize("blocks", [4, 1000])
def test_a_failing_block_is_an_error_of_the_launch(device, code: ObjectCode, what: int, blocks: int) -> None:
    for _ in range(20):
        with pytest.raises(RuntimeFailure, match=FAILURES[what]) as caught:
            launch(device.default_stream, LaunchConfig(blocks, 1), code.get_kernel("failing"), what)
        assert caught.value.kernel == "failing"
    assert_usable(device, code, device.default_stream)


@pytest.mark.parametrize("wait", ["stream", "event", "device", "device, stream closed"])
def test_a_failing_block_in_a_stream_is_an_error_of_the_next_synchronisation(device, code, wait: str) -> None:
    stream = device.create_stream()
    launch(stream, LaunchConfig(9, 1), code.get_kernel("failing"), 1)
    if wait == "device, stream closed":
        stream.close()
    event = stream.record() if wait == "event" else None
    with pytest.raises(RuntimeFailure, match=FAILURES[1]):
        event.sync() if event is not None else stream.sync() if wait == "stream" else device.sync()
    device.sync()  # reported once
    assert_usable(device, code, device.create_stream() if wait == "device, stream closed" else stream)


def test_what_failed_in_a_closed_stream_is_told_whenever_that_goes(device, code: ObjectCode) -> None:
    """A stream that is closed ends by itself with its work, perhaps while another thread asks all streams."""
    kernel = code.get_kernel("failing")
    for _ in range(5000):
        stream = device.create_stream()
        launch(stream, LaunchConfig(4, 1), kernel, 1)
        stream.close()
        with pytest.raises(RuntimeFailure, match=FAILURES[1]):
            device.sync()


def test_other_blocks_of_a_launch_that_failed_stop(device, code: ObjectCode) -> None:
    """Block 3 fails while another spins: both are over when the error is raised."""
    flag = np.zeros(1, np.int32)
    stream = device.create_stream()
    memory = Buffer.from_handle(flag.ctypes.data, 4, device)
    launch(stream, LaunchConfig(1, 1), code.get_kernel("endless"), memory)
    with pytest.raises(RuntimeFailure, match="assertion failed"):
        launch(device.default_stream, LaunchConfig(100_000, 1), code.get_kernel("failing"), 0)
    flag[0] = 1
    stream.sync()


FAULT = """
import ctypes, faulthandler, sys
from flydsl_cpu.runtime.device_runtime import CpuRuntime
if "before" in sys.argv: faulthandler.enable()
assert CpuRuntime().status().available
if "after" in sys.argv: faulthandler.enable()
ctypes.string_at(8)
"""


@pytest.mark.parametrize("handler", ["none", "before", "after"])
def test_a_fault_outside_of_kernels_ends_the_process_as_ever(handler: str) -> None:
    options = f"{os.environ.get('ASAN_OPTIONS', '')}:handle_segv=0"  # a sanitized build would report it
    env = {**os.environ, "ASAN_OPTIONS": options}
    done = subprocess.run([sys.executable, "-c", FAULT, handler], capture_output=True, text=True, check=False, env=env)
    assert done.returncode == -11
    assert ("Segmentation fault" in done.stderr) == (handler != "none")


FORKS = """
import multiprocessing, os, sys
import numpy as np
import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.runtime.device import Device

@flyc.kernel
def wait_kernel(gate: fx.Tensor, y: fx.Tensor):
    opened = fx.Int32(0)
    while opened == 0:
        opened = fx.atomic_add(fx.get_iter(gate), 0)
    y[0] = y[0] + 1

@flyc.jit
def wait(gate: fx.Tensor, y: fx.Tensor, stream: fx.Stream = fx.Stream(None)):
    wait_kernel(gate, y).launch(grid=1, block=1, stream=stream)

def once(i):
    y = np.zeros(1, np.int32)
    wait(np.ones(1, np.int32), y)
    stream = Device(0).create_stream()
    wait(np.ones(1, np.int32), y, stream)
    stream.sync()
    return int(y[0])

def main():
    assert once(0) == 2
    if "fork" in sys.argv:
        busy, idle = Device(0).create_stream(), Device(0).create_stream()
        gate, y = np.zeros(1, np.int32), np.zeros(1, np.int32)
        wait(gate, y, busy)
        event = busy.record()
        if os.fork() == 0:
            try:
                busy.sync()
            except RuntimeError as error:
                assert "forked while it ran" in str(error), error
            else:
                os._exit(3)
            event.sync()
            z = np.zeros(1, np.int32)
            for stream in (busy, idle):
                wait(np.ones(1, np.int32), z, stream)
                stream.sync()
            Device(0).sync()
            os._exit(0 if z[0] == 2 and once(0) == 2 else 4)
        assert os.waitstatus_to_exitcode(os.wait()[1]) == 0
        gate[0] = 1
        busy.sync()
        assert y[0] == 1
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        assert pool.map(once, range(4)) == [2] * 4
    print("done")

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_kernels_run_in_processes_of_every_start_method(tmp_path, method: str) -> None:
    file = tmp_path / "forks.py"
    file.write_text(FORKS)
    env = {**os.environ, "FLYDSL_COMPILE_BACKEND": "cpu", "FLYDSL_CPU_THREADS": "3"}
    command = [sys.executable, str(file), method]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=env)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
