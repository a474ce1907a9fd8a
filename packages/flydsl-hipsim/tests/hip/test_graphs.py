"""Graphs of the simulated HIP: captured and built ones run again and again, and broken captures say why."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest


@pytest.fixture
def modes(hip: Any) -> Any:
    return hip.module.hipStreamCaptureMode.hipStreamCaptureModeGlobal


@pytest.fixture
def memory(hip: Any) -> Any:
    address = hip.malloc(64)
    hip.hipMemset(address, 0, 64)
    yield address
    hip.hipFree(address)


def instantiate(hip: Any, graph: Any) -> int:
    made = ctypes.c_void_p()
    code = hip.native.hipGraphInstantiate(
        ctypes.byref(made), ctypes.c_void_p(int(graph)), None, None, ctypes.c_size_t(0)
    )
    hip.check("hipGraphInstantiate", code)
    return made.value or 0


def test_a_captured_stream_runs_nothing_until_the_graph_is_launched(
    hip: Any, streams: list[int], memory: int, modes: Any, callbacks: Any
) -> None:
    called = list[int]()
    hip.hipStreamBeginCapture(streams[0], modes)
    hip.hipMemsetAsync(memory, 1, 64, streams[0])
    hip.hipMemcpyAsync(memory + 32, memory, 8, hip.module.hipMemcpyKind.hipMemcpyDeviceToDevice, streams[0])
    hip.hipMemsetAsync(memory, 2, 8, streams[0])
    callbacks.launch(streams[0], lambda: called.append(1))
    assert int(hip.hipStreamIsCapturing(streams[0])) == 1
    graph = hip.hipStreamEndCapture(streams[0])
    assert (int(hip.hipStreamIsCapturing(streams[0])), hip.read(memory, 64), called) == (0, bytes(64), [])
    executable = instantiate(hip, graph)
    hip.hipGraphDestroy(graph)
    for launches in (1, 2):
        hip.hipMemset(memory, 9, 64)
        hip.hipGraphLaunch(executable, streams[1])
        hip.hipStreamSynchronize(streams[1])
        assert hip.read(memory, 64) == b"\2" * 8 + b"\1" * 56
        assert len(called) == launches
    hip.hipGraphExecDestroy(executable)


def test_a_second_stream_joins_a_capture_through_events(
    hip: Any, streams: list[int], memory: int, modes: Any, error: Any
) -> None:
    fork, join = hip.hipEventCreate(), hip.hipEventCreate()
    hip.hipStreamBeginCapture(streams[0], modes)
    hip.hipMemsetAsync(memory, 1, 8, streams[0])
    hip.hipEventRecord(fork, streams[0])
    hip.hipStreamWaitEvent(streams[1], fork, 0)
    hip.hipMemcpyAsync(memory + 8, memory, 8, hip.module.hipMemcpyKind.hipMemcpyDeviceToDevice, streams[1])
    with pytest.raises(error, match="recorded in a capture"):
        hip.hipEventSynchronize(fork)
    hip.hipEventRecord(join, streams[1])
    hip.hipStreamWaitEvent(streams[0], join, 0)
    hip.hipMemsetAsync(memory, 3, 8, streams[0])
    graph = hip.hipStreamEndCapture(streams[0])
    assert int(hip.hipStreamIsCapturing(streams[1])) == 0
    executable = instantiate(hip, graph)
    hip.hipGraphLaunch(executable, 0)
    assert hip.read(memory, 16) == b"\3" * 8 + b"\1" * 8
    hip.hipGraphExecDestroy(executable)
    hip.hipGraphDestroy(graph)
    for event in (fork, join):
        hip.hipEventDestroy(event)


def test_work_that_nothing_waits_for_breaks_the_capture(
    hip: Any, streams: list[int], memory: int, modes: Any, error: Any
) -> None:
    fork = hip.hipEventCreate()
    hip.hipStreamBeginCapture(streams[0], modes)
    hip.hipEventRecord(fork, streams[0])
    hip.hipStreamWaitEvent(streams[1], fork, 0)
    hip.hipMemsetAsync(memory, 1, 8, streams[1])
    with pytest.raises(error, match="has unjoined work: a stream joined the capture, and nothing waited for its work"):
        hip.hipStreamEndCapture(streams[0])
    hip.hipStreamSynchronize(streams[1])
    hip.hipEventDestroy(fork)


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda hip, stream, memory: hip.hipStreamSynchronize(stream), 900),
        (lambda hip, stream, memory: hip.hipStreamQuery(stream), 900),
        (lambda hip, stream, memory: hip.hipDeviceSynchronize(), 900),
        (lambda hip, stream, memory: hip.hipFree(memory), 900),
        (lambda hip, stream, memory: hip.hipMallocAsync(8, stream), 900),
    ],
)
def test_calls_that_wait_break_a_capture(
    hip: Any, streams: list[int], memory: int, modes: Any, error: Any, call: Any, code: int
) -> None:
    hip.hipStreamBeginCapture(streams[0], modes)
    with pytest.raises(error) as caught:
        call(hip, streams[0], memory)
    assert caught.value.code == code
    assert int(hip.hipStreamIsCapturing(streams[0])) == 2
    with pytest.raises(error, match="an earlier call broke the capture"):
        hip.hipMemsetAsync(memory, 1, 8, streams[0])
    with pytest.raises(error, match="an earlier call broke the capture"):
        hip.hipStreamEndCapture(streams[0])
    hip.hipStreamSynchronize(streams[0])


def test_stream_0_breaks_the_capture_of_a_blocking_stream(hip: Any, memory: int, modes: Any, error: Any) -> None:
    stream = hip.hipStreamCreate()
    hip.hipStreamBeginCapture(stream, modes)
    with pytest.raises(error, match="stream 0 waits for a stream that is being captured"):
        hip.hipMemset(memory, 0, 8)
    hip.hipStreamDestroy(stream)
    hip.hipMemset(memory, 0, 8)


def test_captures_begin_and_end_in_pairs(hip: Any, streams: list[int], modes: Any, error: Any) -> None:
    with pytest.raises(error, match="the stream is not being captured"):
        hip.hipStreamEndCapture(streams[0])
    with pytest.raises(error, match="stream 0 cannot be captured"):
        hip.hipStreamBeginCapture(0, modes)
    hip.hipStreamBeginCapture(streams[0], modes)
    with pytest.raises(error, match="is being captured already"):
        hip.hipStreamBeginCapture(streams[0], modes)
    graph = hip.hipStreamEndCapture(streams[0])
    assert hip.native.hipGraphGetNodes(ctypes.c_void_p(int(graph)), None, ctypes.byref(ctypes.c_size_t())) == 0
    hip.hipGraphDestroy(graph)


def test_a_graph_is_built_of_nodes(hip: Any, memory: int) -> None:
    native, graph = hip.native, ctypes.c_void_p(int(hip.hipGraphCreate(0)))
    nodes = (ctypes.c_void_p * 2)()
    set_bytes = (ctypes.c_uint64 * 6)(memory, 1, 1, 0, 5, 16)  # to, element size, height, pitch, value, width
    none = ctypes.c_size_t(0)
    hip.check("memset", native.hipGraphAddMemsetNode(ctypes.byref(nodes), graph, None, none, set_bytes))
    second = ctypes.byref(nodes, 8)
    places = ctypes.c_void_p(memory + 16), ctypes.c_void_p(memory + 4), ctypes.c_size_t(8), 3
    hip.check("copy", native.hipGraphAddMemcpyNode1D(second, graph, nodes, ctypes.c_size_t(1), *places))
    executable = instantiate(hip, graph.value)
    hip.hipGraphLaunch(executable, 0)
    assert hip.read(memory, 32) == b"\5" * 24 + bytes(8)
    kind = ctypes.c_int32()
    hip.check("type", native.hipGraphNodeGetType(ctypes.c_void_p(nodes[1]), ctypes.byref(kind)))
    assert kind.value == 1
    hip.hipGraphExecDestroy(executable)
    hip.hipGraphDestroy(graph.value)
