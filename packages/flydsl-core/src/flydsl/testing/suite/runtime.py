"""A device runtime: memory, streams, events, and errors that leave nothing behind."""

from __future__ import annotations

import ctypes
import re
import threading
import time
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from flydsl.base.errors import FlyDSLError, NoDeviceError, RuntimeFailure
from flydsl.plugins.active.border import missing_functions
from flydsl.plugins.device_runtime import CopyKind, DeviceRuntime, DeviceStatus
from flydsl.runtime.abi import ABI_VERSION, OLDEST_TABLE, FlyRuntimeApi
from flydsl.runtime.device import Device
from flydsl.testing.capabilities import Capability, requires
from flydsl.testing.suite.suite import Suite, check_same, told

_SIZES = (1, 3, 4096, (1 << 20) + 7)
_NO_CODE = 987654


class RuntimeSuite(Suite):
    """The runtime that the plugin declares; all but the first tests need a device."""

    @property
    def runtime(self) -> DeviceRuntime:
        """The runtime."""
        return self.bench.runtime

    @property
    def device(self) -> Device:
        """Its current device."""
        return self.bench.device

    # State

    def test_the_runtime_is_of_the_kind_it_declares(self) -> None:
        assert self.runtime.kind == self.bench.runtime_manifest.kind
        assert self.bench.runtime_manifest.device_kinds, "the manifest names no device_kinds: no tensor can be passed"

    def test_the_status_is_an_answer_with_a_reason(self) -> None:
        status = self.runtime.status()
        assert isinstance(status, DeviceStatus), f"status() is {status!r}, expected a DeviceStatus"
        assert status.available or status.reason, "status() says that there is no device, and not why"
        assert status.available == (self.runtime.device_count() > 0)

    def test_a_device_that_is_not_there_is_an_error(self) -> None:
        for ordinal in (-1, self.runtime.device_count(), 1 << 20):
            with pytest.raises(NoDeviceError):
                self.runtime.device_info(ordinal)

    def test_the_processor_that_runs_this_test_is_a_device(self) -> None:
        """A backend that is no accelerator has a device everywhere: that it cannot be used is a failure, no state."""
        backend = self.bench.subject.backend
        if backend is not None and not backend.accelerator:
            assert self.runtime.status() == DeviceStatus(True)

    @requires(Capability.DEVICE)
    def test_devices_are_described(self) -> None:
        for ordinal in range(self.runtime.device_count()):
            info = self.runtime.device_info(ordinal)
            assert info.ordinal == ordinal
            assert info.name, f"device {ordinal} has no name"
            assert info.arch, f"device {ordinal} has no arch"
            assert min(info.memory_bytes, info.warp_size, info.max_threads_per_block) > 0
            assert info.shared_bytes_per_block >= 0
        assert 0 <= self.runtime.current_ordinal() < self.runtime.device_count()

    # Memory

    @requires(Capability.DEVICE)
    @pytest.mark.parametrize("size", _SIZES)
    def test_what_is_copied_in_comes_out(self, size: int) -> None:
        data = np.random.default_rng(size).bytes(size)
        first, second = self.device.allocate(size), self.device.allocate(size)
        first.copy_from(data)
        second.copy_from(first)
        check_same(_bytes_of(second), data)

    @requires(Capability.DEVICE)
    @pytest.mark.parametrize("size", _SIZES)
    def test_memory_is_set_byte_by_byte(self, size: int) -> None:
        buffer = self.device.allocate(size)
        for value in (0, 255, 0xA5):
            buffer.fill(value)
            check_same(_bytes_of(buffer), bytes([value]) * size)

    @requires(Capability.DEVICE)
    def test_a_part_is_copied_and_set_alone(self) -> None:
        buffer, host = self.device.allocate(16), ctypes.create_string_buffer(b"abcd", 4)
        buffer.fill(ord("."))
        self.runtime.copy(buffer.handle + 3, ctypes.addressof(host), 4, 0, CopyKind.HOST_TO_DEVICE)
        self.runtime.memset(buffer.handle + 10, ord("x"), 2, 0)
        assert _bytes_of(buffer) == b"...abcd...xx...."

    @requires(Capability.DEVICE)
    def test_copies_of_nothing_do_nothing(self) -> None:
        buffer = self.device.allocate(4)
        buffer.fill(7)
        self.runtime.copy(buffer.handle, buffer.handle, 0, 0, CopyKind.DEVICE_TO_DEVICE)
        self.runtime.memset(buffer.handle, 1, 0, 0)
        assert _bytes_of(buffer) == b"\7" * 4

    @requires(Capability.DEVICE)
    def test_allocations_are_apart_and_aligned_for_any_element(self) -> None:
        buffers = [self.device.allocate(size) for size in (1, 16, 100, 1)]
        spans = sorted((buffer.handle, buffer.handle + buffer.size) for buffer in buffers)
        assert all(end <= begin for (_, end), (begin, _) in pairwise(spans)), f"allocations overlap: {spans}"
        assert all(buffer.handle % 16 == 0 for buffer in buffers), f"not aligned to 16 bytes: {spans}"

    @requires(Capability.DEVICE)
    def test_freeing_nothing_is_allowed(self) -> None:
        self.runtime.free(0)

    @requires(Capability.DEVICE, Capability.CHECKED_FREE)
    def test_freeing_twice_is_an_error_that_says_so(self) -> None:
        pointer = self.runtime.allocate(self.device.ordinal, 64)
        self.runtime.free(pointer)
        with pytest.raises(RuntimeFailure) as caught:
            self.runtime.free(pointer)
        _check_text(caught.value)

    @requires(Capability.DEVICE, Capability.CHECKED_MEMORY)
    def test_memory_that_is_not_there_is_an_error_and_the_rest_goes_on(self) -> None:
        with pytest.raises(RuntimeFailure) as caught:
            self.device.allocate(1 << 62)
        _check_text(caught.value)
        assert self.device.allocate(64).handle, "allocate gave address 0"

    @requires(Capability.DEVICE)
    def test_memory_in_the_order_of_a_stream_holds_what_the_stream_wrote(self) -> None:
        stream, size = self.device.create_stream(), 1 << 16
        for value in range(1, 9):
            first, result = self.device.allocate(size, stream=stream), bytearray(size)
            first.fill(value, stream=stream)
            with self.device.allocate(size, stream=stream) as second:
                second.copy_from(first, stream=stream)
                first.close()  # the copy is ahead of this
                second.copy_to(result, stream=stream)
            check_same(result, bytes([value]) * size)

    @requires(Capability.DEVICE)
    def test_memory_in_the_order_of_a_stream_outlives_the_stream(self) -> None:
        with self.device.create_stream() as stream:
            buffer = self.device.allocate(16, stream=stream)
            buffer.fill(7, stream=stream)
            stream.sync()
        assert _bytes_of(buffer) == b"\7" * 16
        buffer.close()

    @requires(Capability.DEVICE)
    def test_devices_exchange_memory(self) -> None:
        data = np.random.default_rng(3).bytes(4099)
        for other in Device.all(runtime=self.runtime):
            here, there, result = self.device.allocate(4099), other.allocate(4099), bytearray(4099)
            stream = other.create_stream()
            here.copy_from(data)
            there.copy_from(here, stream=stream)
            there.copy_to(result, stream=stream)
            check_same(result, data)
            if self.device.can_access(other):
                self.device.enable_access(other)
                self.device.enable_access(other)
            else:
                with pytest.raises(RuntimeFailure):
                    self.device.enable_access(other)

    # Streams and events

    @requires(Capability.DEVICE)
    def test_work_of_a_stream_is_done_in_order(self) -> None:
        stream, size = self.device.create_stream(), 1 << 18
        first, second, result = self.device.allocate(size), self.device.allocate(size), bytearray(size)
        for value in range(1, 9):
            first.fill(value, stream=stream)
            second.copy_from(first, stream=stream)
            first.fill(0, stream=stream)
        second.copy_to(result, stream=stream)
        stream.sync()
        check_same(result, b"\x08" * size)

    @requires(Capability.DEVICE)
    def test_a_stream_waits_for_an_event_of_another(self) -> None:
        producer, consumer = self.device.create_stream(), self.device.create_stream()
        source, target = self.device.allocate(1 << 20), self.device.allocate(1 << 20)
        for value in (1, 2, 3):
            source.fill(value, stream=producer)
            consumer.wait(producer.record())
            target.copy_from(source, stream=consumer)
            producer.wait(consumer)
        consumer.sync()
        check_same(_bytes_of(target), b"\3" * target.size)

    @requires(Capability.DEVICE)
    def test_streams_and_events_have_handles_of_their_own(self) -> None:
        streams = [self.device.create_stream() for _ in range(3)]
        events = [self.device.create_event() for _ in range(3)]
        assert len({stream.handle for stream in streams} | {0}) == 4
        assert len({event.handle for event in events} | {0}) == 4

    @requires(Capability.DEVICE)
    def test_a_stream_may_be_destroyed_before_its_work_is_done(self) -> None:
        buffer = self.device.allocate(1 << 22)
        with self.device.create_stream() as stream:
            for value in range(5):
                buffer.fill(value, stream=stream)
        self.device.sync()
        check_same(_bytes_of(buffer), b"\4" * buffer.size)

    @requires(Capability.DEVICE)
    def test_an_event_can_be_recorded_again(self) -> None:
        stream, event, buffer = self.device.create_stream(), self.device.create_event(), self.device.allocate(1 << 16)
        for value in (1, 2):
            buffer.fill(value, stream=stream)
            stream.record(event)
        event.sync()
        check_same(_bytes_of(buffer), b"\2" * buffer.size)

    @requires(Capability.DEVICE, Capability.TIMING)
    def test_time_between_events_grows_and_is_in_milliseconds(self) -> None:
        stream, buffer = self.device.create_stream(), self.device.allocate(1 << 20)
        begin = time.perf_counter()
        events = [stream.record()]
        for _ in range(3):
            buffer.fill(1, stream=stream)
            stream.sync()
            time.sleep(0.002)
            events.append(stream.record())
        events[-1].sync()
        spent = (time.perf_counter() - begin) * 1e3
        steps = [late - early for early, late in pairwise(events)]
        assert all(step > 0 for step in steps), f"times between events are {steps}"
        assert abs(events[-1] - events[0] - sum(steps)) < 0.1
        assert 1 < events[-1] - events[0] < spent + 1

    @requires(Capability.DEVICE)
    def test_the_default_stream_can_be_waited_for(self) -> None:
        self.device.default_stream.sync()
        self.device.sync()

    # Errors, threads, the table

    @requires(Capability.DEVICE)
    def test_errors_have_a_text_even_for_unknown_codes(self) -> None:
        assert self.runtime.error_message(_NO_CODE).strip(), f"error_message({_NO_CODE}) is empty"

    @requires(Capability.DEVICE)
    def test_calls_with_a_device_that_is_not_there_are_errors(self) -> None:
        absent = self.runtime.device_count()
        calls: list[Callable[[int], object]] = [
            lambda ordinal: self.runtime.allocate(ordinal, 16),
            self.runtime.create_stream,
            self.runtime.create_event,
        ]
        for call in calls:
            with pytest.raises(FlyDSLError):
                call(absent)

    @requires(Capability.DEVICE)
    def test_threads_share_a_device(self) -> None:
        failures = list[BaseException]()

        def work(index: int) -> None:
            try:
                with self.device.create_stream() as stream, self.device.allocate(5000) as buffer:
                    for value in range(index, index + 20):
                        buffer.fill(value, stream=stream)
                    result = bytearray(buffer.size)
                    buffer.copy_to(result, stream=stream)
                    check_same(result, bytes([index + 19]) * buffer.size)
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(index,)) for index in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures, told(failures)

    @requires(Capability.DEVICE)
    def test_the_table_speaks_this_abi_and_stays_where_it_is(self) -> None:
        address = self.runtime.api_table()
        assert address == self.runtime.api_table()
        table = FlyRuntimeApi.from_address(address)
        assert table.abi_version == ABI_VERSION
        assert table.struct_size >= OLDEST_TABLE

    @requires(Capability.DEVICE)
    def test_no_function_of_the_table_is_a_null_pointer(self) -> None:
        missing = missing_functions(self.runtime.api_table())
        assert not missing, f"{', '.join(missing)} of the table is a null pointer (docs/reference/plugin_api.md)"

    @requires(Capability.DEVICE)
    def test_bytes_that_are_no_code_object_are_refused_with_a_text(self) -> None:
        table, module = FlyRuntimeApi.from_address(self.runtime.api_table()), ctypes.c_void_p()
        image, names = b"this is no code object", (ctypes.c_char_p * 1)(b"kernel")
        assert table.module_load, "module_load of the table is a null pointer"
        code = table.module_load(table.self, self.device.ordinal, image, len(image), names, 1, ctypes.byref(module))
        assert code > 0
        assert self.runtime.error_message(code).strip(), f"error_message({code}) is empty"


def _bytes_of(buffer: object) -> bytes:
    data = bytearray(buffer.size)  # type: ignore[attr-defined]
    buffer.copy_to(data)  # type: ignore[attr-defined]
    return bytes(data)


def _check_text(error: RuntimeFailure) -> None:
    """A message for people, in the style of the project, and the runtime's own code."""
    assert re.search(r"[a-zA-Z]{3}", str(error)), f"the error has no text for people: {str(error)!r}"
    assert error.code != 0, f"the error {str(error)!r} has no code"
