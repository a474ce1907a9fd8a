"""Timing of calls by events of the device, or by what a runtime counts where time says nothing of the device."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import overload

from flydsl.base.errors import ArgumentError, FlyDSLError, OperandError
from flydsl.plugins.active.stack import device_runtime
from flydsl.runtime.device import Device
from flydsl.runtime.stream import Stream

MILLISECONDS = "ms"
_STREAM: ContextVar[int] = ContextVar("flydsl_measured_stream", default=0)


@contextmanager
def timing_on(stream: int) -> Iterator[None]:
    """Let `do_bench` time calls of the block on the stream of this handle."""
    token = _STREAM.set(stream)
    try:
        yield
    finally:
        _STREAM.reset(token)


def has_device() -> bool:
    """Whether calls can be measured at all: there is a runtime, with a device."""
    try:
        return device_runtime().status().available
    except FlyDSLError:
        return False


def unit() -> str:
    """The unit of what `do_bench` gives."""
    return device_runtime().cost_unit or MILLISECONDS


@overload
def do_bench(fn: Callable[[], object], warmup: int = 5, rep: int = 25, quantiles: None = None) -> float: ...
@overload
def do_bench(
    fn: Callable[[], object], warmup: int = 5, rep: int = 25, *, quantiles: Sequence[float]
) -> list[float]: ...
def do_bench(
    fn: Callable[[], object], warmup: int = 5, rep: int = 25, quantiles: Sequence[float] | None = None
) -> float | list[float]:
    """The median time of `rep` calls of `fn` on the current device in milliseconds, or the `quantiles` of the times.

    A simulated device counts one call in units of its own instead, which say more about the GPU than its time does.
    NoDeviceError (a RuntimeError) without a device, OperandError (a ValueError) for counts that measure nothing.
    """
    _check_counts(warmup, rep, quantiles)
    device = Device()
    runtime = device.begin_work()
    if runtime.cost_unit:
        cost = runtime.cost(fn)
        return cost if quantiles is None else [cost] * len(quantiles)
    for _ in range(warmup):
        fn()
    device.sync()
    times = sorted(_time(device, fn) for _ in range(rep))
    if quantiles is None:
        return times[rep // 2]
    return [_quantile(times, q) for q in quantiles]


def _time(device: Device, fn: Callable[[], object]) -> float:
    stream = Stream.from_handle(_STREAM.get(), device)
    with device.create_event() as start, device.create_event() as end:
        stream.record(start)
        fn()
        stream.record(end)
        end.sync()
        return end - start


def _quantile(times: Sequence[float], q: float) -> float:
    """Between neighbours in proportion, as NumPy does."""
    position = q * (len(times) - 1)
    low = min(int(position), len(times) - 1)
    high = min(low + 1, len(times) - 1)
    return times[low] + (times[high] - times[low]) * (position - low)


def _check_counts(warmup: int, rep: int, quantiles: Sequence[float] | None) -> None:
    for name, value, least in (("warmup", warmup, 0), ("rep", rep, 1)):
        if not isinstance(value, int) or isinstance(value, bool):
            raise ArgumentError(f"{name} is a number of calls, found {value!r}")
        if value < least:
            raise OperandError(f"{name} is at least {least}, found {value!r}")
    if quantiles is not None and not all(0 <= q <= 1 for q in quantiles):
        raise OperandError(f"quantiles are numbers from 0 to 1, found {quantiles!r}")
