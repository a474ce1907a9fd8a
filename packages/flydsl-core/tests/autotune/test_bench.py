"""Measurements by the events of a runtime, and by what one counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from flydsl.autotune import bench
from flydsl.autotune.bench import do_bench, timing_on
from flydsl.plugins.active.stack import device_runtime
from flydsl.testing.fake_runtime import FakeRuntime
from flydsl.testing.fakes import fake_backend, fake_runtime

if TYPE_CHECKING:
    from flydsl.testing.sandbox import PluginSandbox


class Clock(FakeRuntime):
    """Events whose times are those of `times`, one after the other."""

    times = (3.0, 1.0, 2.0, 10.0)

    def elapsed_ms(self, start: int, end: int) -> float:
        super().elapsed_ms(start, end)
        asked = sum(call[0] == "elapsed_ms" for call in self.calls)
        return self.times[(asked - 1) % len(self.times)]


class Counting(FakeRuntime):
    """What simulates a device: it counts."""

    cost_unit = "steps"

    def cost(self, call: Callable[[], object]) -> float:
        call()
        return 42.0


@pytest.fixture
def clock(isolated_plugins: PluginSandbox) -> Clock:
    isolated_plugins.register(fake_backend(), fake_runtime(factory=Clock))
    runtime = device_runtime()
    assert isinstance(runtime, Clock)
    return runtime


def test_the_median_of_the_repetitions_behind_warm_ups_is_given(clock: Clock) -> None:
    calls: list[int] = []
    assert do_bench(lambda: calls.append(1), warmup=2, rep=4) == 3.0
    assert len(calls) == 6
    names = [call[0] for call in clock.calls]
    assert names.count("record_event") == 8
    assert names.count("create_event") == names.count("destroy_event") == 8


@pytest.mark.usefixtures("clock")
def test_quantiles_are_between_the_times() -> None:
    assert do_bench(lambda: None, 0, 4, quantiles=[0.0, 0.5, 1.0]) == [1.0, 2.5, 10.0]


def test_events_are_recorded_on_the_stream_of_the_call(clock: Clock) -> None:
    with timing_on(0x70):
        do_bench(lambda: None, warmup=0, rep=1)
    streams = [call[2] for call in clock.calls if call[0] == "record_event"]
    assert streams == [0x70, 0x70]


def test_a_runtime_that_counts_is_asked_once_instead(isolated_plugins: PluginSandbox) -> None:
    isolated_plugins.register(fake_backend(), fake_runtime(factory=Counting))
    calls: list[int] = []
    assert bench.unit() == "steps"
    assert do_bench(lambda: calls.append(1), 3, 9) == 42.0
    assert do_bench(lambda: calls.append(1), quantiles=[0.2, 0.8]) == [42.0, 42.0]
    assert calls == [1, 1]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"warmup": -1}, ValueError),
        ({"rep": 0}, ValueError),
        ({"rep": 2.5}, TypeError),
        ({"warmup": True}, TypeError),
        ({"quantiles": [1.5]}, ValueError),
    ],
    ids=repr,
)
def test_counts_that_measure_nothing_are_refused(arguments: dict[str, int], error: type[Exception]) -> None:
    with pytest.raises(error):
        do_bench(lambda: None, **arguments)  # type: ignore[arg-type]


def test_without_a_device_it_is_a_runtime_error(isolated_plugins: PluginSandbox) -> None:
    assert not bench.has_device(), "no backend either"
    isolated_plugins.register(fake_backend(), fake_runtime(devices=0))
    assert not bench.has_device()
    with pytest.raises(RuntimeError, match="no device"):
        do_bench(lambda: None)


def test_a_device_can_measure(clock: Clock) -> None:
    assert bench.has_device()
    assert bench.unit() == "ms"
    assert do_bench(lambda: None, rep=1) == clock.times[0]
