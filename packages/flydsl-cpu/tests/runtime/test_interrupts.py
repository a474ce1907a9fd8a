"""Waits of the native library handle Python's signals, in every thread and for every kind of wait."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import numpy as np
import pytest

from flydsl.runtime.buffer import Buffer
from flydsl.runtime.device import Device
from flydsl.runtime.kernel import ObjectCode
from flydsl.runtime.launch import LaunchConfig, launch


class Alarm(Exception):
    """What the signal handler raises."""


@pytest.fixture
def alarm() -> Iterator[None]:
    """SIGALRM in a moment, whose handler raises."""

    def handler(*_: object) -> None:
        raise Alarm

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def cells(device: Device) -> tuple[np.ndarray, Buffer]:
    values = np.zeros(1000, np.int32)
    return values, Buffer.from_handle(values.ctypes.data, values.nbytes, device)


@pytest.mark.parametrize("blocks", [1, 2, 1000])
def test_a_launch_that_never_ends_is_interrupted(device, code: ObjectCode, cells, alarm, blocks: int) -> None:
    with pytest.raises(Alarm):
        launch(device.default_stream, LaunchConfig(blocks, 1), code.get_kernel("endless"), cells[1])
    launch(device.default_stream, LaunchConfig(1000, 1), code.get_kernel("count"), cells[1])
    assert (cells[0] == 1).all()


@pytest.mark.parametrize("wait", ["stream", "event", "device"])
def test_a_wait_for_a_stream_is_interrupted(device, code: ObjectCode, cells, alarm, wait: str) -> None:
    stream = device.create_stream()
    launch(stream, LaunchConfig(5, 1), code.get_kernel("endless"), cells[1])
    event = stream.record()
    with pytest.raises(Alarm):
        {"stream": stream.sync, "event": event.sync, "device": device.sync}[wait]()
    cells[0][:] = 1  # what an interrupted wait for an event leaves running
    stream.sync()
    launch(stream, LaunchConfig(1000, 1), code.get_kernel("count"), cells[1])
    stream.sync()
    assert (cells[0] == 2).all()


def test_an_exception_sent_to_another_thread_ends_its_launch(device, code: ObjectCode, cells) -> None:
    found: list[BaseException] = []
    started = threading.Event()

    def work() -> None:
        started.set()
        try:
            launch(device.default_stream, LaunchConfig(3, 1), code.get_kernel("endless"), cells[1])
        except Alarm as error:
            found.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    started.wait(10)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(Alarm))
    thread.join(30)
    assert len(found) == 1


def test_a_handler_that_returns_lets_the_launch_go_on(device, code: ObjectCode, cells) -> None:
    def handler(*_: object) -> None:
        cells[0][0] = 1

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        launch(device.default_stream, LaunchConfig(3, 1), code.get_kernel("endless"), cells[1])
    finally:
        signal.signal(signal.SIGALRM, before)
    assert cells[0][0] == 1


INTERRUPTED = """
import os, signal, sys, threading
signal.signal(signal.SIGINT, signal.default_int_handler)
import numpy as np
import flydsl.compiler as flyc
import flydsl.expr as fx

@flyc.kernel
def endless(x: fx.Tensor):
    seen = fx.Int32(0)
    while seen == 0:
        seen = fx.atomic_add(fx.get_iter(x), 0)

@flyc.jit
def run(x: fx.Tensor, blocks: fx.Int32):
    endless(x).launch(grid=blocks, block=4)

run(np.ones(4, np.int32), 1)
for blocks in (1, 9):
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        run(np.zeros(4, np.int32), blocks)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
run(np.ones(4, np.int32), 100)
print("usable")
"""


def test_ctrl_c_interrupts_a_kernel_that_never_ends(tmp_path) -> None:
    file = tmp_path / "endless.py"
    file.write_text(INTERRUPTED)
    done = subprocess.run(
        [sys.executable, str(file)],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        env={**os.environ, "FLYDSL_COMPILE_BACKEND": "cpu"},
    )
    assert done.stdout.split() == ["interrupted", "interrupted", "usable"]
