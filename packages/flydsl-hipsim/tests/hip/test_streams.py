"""Streams and events of the simulated HIP: what runs at the same time, what waits for what, and what is refused."""

from __future__ import annotations

import threading
from typing import Any

import pytest

NOT_READY, INVALID_HANDLE = 600, 400
PATIENCE = 30  # seconds, only spent when something is broken


def test_streams_run_at_the_same_time(hip: Any, streams: list[int], callbacks: Any) -> None:
    meeting, met = threading.Barrier(2, timeout=PATIENCE), []
    for stream in streams:
        callbacks.launch(stream, lambda: met.append(meeting.wait()))
    for stream in streams:
        hip.hipStreamSynchronize(stream)
    assert sorted(met) == [0, 1]


def test_a_stream_runs_in_order_and_calls_return_at_once(hip: Any, streams: list[int], callbacks: Any) -> None:
    proceed, order = threading.Event(), list[int]()
    address = hip.malloc(4)
    callbacks.launch(streams[0], lambda: proceed.wait(PATIENCE))
    for number in range(5):
        hip.hipMemsetAsync(address, number, 4, streams[0])
        callbacks.launch(streams[0], lambda n=number: order.append(n))
    assert order == []
    proceed.set()
    hip.hipStreamSynchronize(streams[0])
    assert (order, hip.read(address, 4)) == ([0, 1, 2, 3, 4], b"\4" * 4)
    hip.hipFree(address)


def test_a_query_says_whether_work_is_left(hip: Any, streams: list[int], callbacks: Any, error: Any) -> None:
    proceed, event = threading.Event(), hip.hipEventCreate()
    hip.hipStreamQuery(streams[0])
    callbacks.launch(streams[0], lambda: proceed.wait(PATIENCE))
    hip.hipEventRecord(event, streams[0])
    for query in (lambda: hip.hipStreamQuery(streams[0]), lambda: hip.hipEventQuery(event)):
        with pytest.raises(error) as caught:
            query()
        assert caught.value.code == NOT_READY
    with pytest.raises(error, match="an event is not complete yet"):
        hip.hipEventElapsedTime(event, event)
    assert hip.native.hipPeekAtLastError() == 0
    proceed.set()
    hip.hipEventSynchronize(event)
    hip.hipStreamSynchronize(streams[0])
    hip.hipStreamQuery(streams[0])
    hip.hipEventDestroy(event)


def test_a_stream_waits_for_an_event_and_another_does_not(hip: Any, streams: list[int], callbacks: Any) -> None:
    proceed, reached, event = threading.Event(), list[str](), hip.hipEventCreateWithFlags(2)
    free = int(hip.hipStreamCreateWithFlags(1))
    callbacks.launch(streams[0], lambda: (proceed.wait(PATIENCE), reached.append("producer")))
    hip.hipEventRecord(event, streams[0])
    hip.hipStreamWaitEvent(streams[1], event, 0)
    callbacks.launch(streams[1], lambda: reached.append("consumer"))
    callbacks.launch(free, lambda: reached.append("free"))
    hip.hipStreamSynchronize(free)
    assert reached == ["free"]
    proceed.set()
    hip.hipStreamSynchronize(streams[1])
    assert reached == ["free", "producer", "consumer"]
    hip.hipEventDestroy(event)
    hip.hipStreamDestroy(free)


def test_a_wait_means_the_recording_at_that_moment(hip: Any, streams: list[int], callbacks: Any) -> None:
    first, second, event, done = threading.Event(), threading.Event(), hip.hipEventCreate(), list[int]()
    callbacks.launch(streams[0], lambda: first.wait(PATIENCE))
    hip.hipEventRecord(event, streams[0])
    hip.hipStreamWaitEvent(streams[1], event, 0)
    callbacks.launch(streams[1], lambda: done.append(1))
    callbacks.launch(streams[0], lambda: second.wait(PATIENCE))
    hip.hipEventRecord(event, streams[0])
    first.set()
    hip.hipStreamSynchronize(streams[1])
    assert done == [1]
    second.set()
    hip.hipEventSynchronize(event)
    hip.hipEventDestroy(event)


def test_stream_0_waits_for_blocking_streams_and_they_for_it(hip: Any, callbacks: Any) -> None:
    proceed, order = threading.Event(), list[str]()
    blocking, other = (int(hip.hipStreamCreate()) for _ in range(2))
    callbacks.launch(blocking, lambda: (proceed.wait(PATIENCE), order.append("blocking")))
    callbacks.launch(0, lambda: order.append("stream 0"))
    callbacks.launch(other, lambda: order.append("other"))
    proceed.set()
    hip.hipStreamSynchronize(other)
    assert order == ["blocking", "stream 0", "other"]
    for stream in (blocking, other):
        hip.hipStreamDestroy(stream)


def test_stream_0_does_not_wait_for_a_non_blocking_stream(hip: Any, streams: list[int], callbacks: Any) -> None:
    proceed, order = threading.Event(), list[str]()
    callbacks.launch(streams[0], lambda: (proceed.wait(PATIENCE), order.append("non-blocking")))
    callbacks.launch(0, lambda: order.append("stream 0"))
    hip.hipStreamSynchronize(0)
    assert order == ["stream 0"]
    proceed.set()
    hip.hipDeviceSynchronize()
    assert order == ["stream 0", "non-blocking"]


def test_copies_and_fills_wait_for_the_device_whose_memory_it_is(hip: Any, callbacks: Any) -> None:
    hip.hipSetDevice(1)
    memory, proceed = hip.malloc(4), threading.Event()
    callbacks.launch(0, lambda: proceed.wait(PATIENCE))
    hip.hipMemsetAsync(memory, 7, 2, 0)
    hip.hipMemsetAsync(memory + 2, 8, 1, 0)
    hip.hipSetDevice(0)
    threading.Timer(0.05, proceed.set).start()
    hip.hipMemset(memory + 2, 9, 2)
    assert hip.read(memory, 4) == b"\7\7\t\t"
    hip.hipFree(memory)


def test_work_of_a_destroyed_stream_is_done(hip: Any, callbacks: Any) -> None:
    proceed, done, stream = threading.Event(), list[int](), int(hip.hipStreamCreateWithFlags(1))
    callbacks.launch(stream, lambda: (proceed.wait(PATIENCE), done.append(1)))
    hip.hipStreamDestroy(stream)
    proceed.set()
    hip.hipDeviceSynchronize()
    assert done == [1]


def test_time_passes_between_events(hip: Any, streams: list[int], callbacks: Any) -> None:
    events = [hip.hipEventCreate() for _ in range(3)]
    for event in events:
        hip.hipEventRecord(event, streams[0])
        callbacks.launch(streams[0], lambda: threading.Event().wait(0.005))
    hip.hipStreamSynchronize(streams[0])
    early, late = (hip.hipEventElapsedTime(*events[i : i + 2]) for i in range(2))
    assert min(early, late) >= 4.9
    assert hip.hipEventElapsedTime(events[0], events[2]) == pytest.approx(early + late, abs=0.01)
    for event in events:
        hip.hipEventDestroy(event)


def test_events_without_a_time_are_refused(hip: Any, streams: list[int], error: Any) -> None:
    timed, untimed = hip.hipEventCreate(), hip.hipEventCreateWithFlags(2)
    hip.hipEventSynchronize(timed)  # never recorded: complete
    with pytest.raises(error, match="never recorded"):
        hip.hipEventElapsedTime(timed, timed)
    with pytest.raises(error, match="an event without timing has no time"):
        hip.hipEventElapsedTime(timed, untimed)
    for event in (timed, untimed):
        hip.hipEventDestroy(event)


@pytest.mark.parametrize("handle", [0x1234, 0xFFFFFFFFFFFFFFF0, 7])
def test_unknown_handles_are_errors(hip: Any, error: Any, handle: int) -> None:
    calls = {
        "hipStreamSynchronize": [handle], "hipStreamDestroy": [handle], "hipStreamQuery": [handle],
        "hipEventRecord": [handle, 0], "hipEventDestroy": [handle], "hipEventSynchronize": [handle],
        "hipStreamWaitEvent": [0, handle, 0], "hipModuleUnload": [handle], "hipGraphDestroy": [handle],
        "hipGraphLaunch": [handle, 0], "hipGraphExecDestroy": [handle], "hipMemPoolDestroy": [handle],
        "hipModuleGetFunction": [handle, b"k"], "hipStreamGetFlags": [handle],
    }  # fmt: skip
    for name, arguments in calls.items():
        with pytest.raises(error, match=f"{handle:#x} is no .*, or one destroyed already|or its module") as caught:
            getattr(hip, name)(*arguments)
        assert caught.value.code == INVALID_HANDLE


def test_destroyed_handles_are_errors(hip: Any, error: Any) -> None:
    stream, event = int(hip.hipStreamCreate()), int(hip.hipEventCreate())
    hip.hipStreamDestroy(stream)
    hip.hipEventDestroy(event)
    with pytest.raises(error, match="is no stream, or one destroyed already"):
        hip.hipStreamDestroy(stream)
    with pytest.raises(error, match="is no event, or one destroyed already"):
        hip.hipEventRecord(event, 0)


def test_an_event_and_a_stream_of_two_devices_do_not_meet(hip: Any, error: Any) -> None:
    event = hip.hipEventCreate()
    hip.hipSetDevice(1)
    stream = hip.hipStreamCreate()
    with pytest.raises(error, match="the event is of device 0, the stream of device 1"):
        hip.hipEventRecord(event, stream)
    hip.hipStreamDestroy(stream)
    hip.hipEventDestroy(event)


def test_streams_say_how_they_were_made(hip: Any) -> None:
    least, greatest = hip.hipDeviceGetStreamPriorityRange()
    stream = hip.hipStreamCreateWithPriority(1, greatest - 5)
    assert (hip.hipStreamGetFlags(stream), hip.hipStreamGetPriority(stream), least > greatest) == (1, greatest, True)
    assert hip.hipStreamGetDevice(stream) == 0
    hip.hipStreamDestroy(stream)


def test_the_current_device_is_of_the_thread(hip: Any) -> None:
    seen = list[int]()
    hip.hipSetDevice(1)
    thread = threading.Thread(target=lambda: seen.append(hip.hipGetDevice()))
    thread.start()
    thread.join()
    assert (seen, hip.hipGetDevice()) == ([0], 1)
