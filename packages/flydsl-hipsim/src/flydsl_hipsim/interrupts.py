"""Waits for simulated devices that Ctrl-C interrupts: it stops what runs there."""

from __future__ import annotations

from collections.abc import Callable

from flydsl_hipsim.simulator import hip_functions

_NOT_READY = 600
_SLICE_MS = 100
"""How long a wait takes before Python runs the handlers of signals that have come."""
_END_MS = 10_000
"""How long to wait for the end of what was stopped: kernels see it soon, a function of the host may not."""


def wait(until: Callable[[int], int]) -> int:
    """The code of a wait for so many milliseconds, when it is over."""
    while (code := until(_SLICE_MS)) == _NOT_READY:
        pass
    return code


def interruptible(until: Callable[[int], int]) -> None:
    """`wait`; an exception in it stops the devices."""
    try:
        wait(until)
    except BaseException:
        stop()
        raise


def stop() -> None:
    """End the kernels of all devices, and drop what waits for them.

    A call that waits for its kernels raises in its thread; other work that is not done is a fault of its device.
    """
    functions = hip_functions()
    functions.flysim_hip_stop(1)
    try:
        functions.flysim_hip_wait(_END_MS)
    finally:
        functions.flysim_hip_stop(0)
