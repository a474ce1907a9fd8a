"""Plain launches against a recording table."""

from __future__ import annotations

import ctypes
import struct

import numpy as np
import pytest

from flydsl.base.errors import ArgumentError, RuntimeFailure
from flydsl.runtime.device import Device
from flydsl.runtime.kernel import Kernel, ObjectCode
from flydsl.runtime.launch import LaunchConfig, launch
from flydsl.testing.fake_runtime import FakeRuntime
from flydsl.testing.fake_table import FakeTable


def loaded(runtime: FakeRuntime) -> Kernel:
    return ObjectCode.load(Device(runtime=runtime), b"code", ["k"]).get_kernel("k")


def test_configuration_stream_and_kernel_reach_the_table() -> None:
    runtime = FakeRuntime()
    kernel = loaded(runtime)
    stream = kernel.device.create_stream()
    launch(stream, LaunchConfig(grid=(4, 5), block=64, cluster=(2,), shmem_size=128), kernel)
    (recorded,) = runtime.table.launches
    assert (recorded.grid, recorded.block, recorded.cluster) == ((4, 5, 1), (64, 1, 1), (2, 1, 1))
    assert (recorded.kernel, recorded.shared_bytes, recorded.stream) == (0x100, 128, stream.handle)


def test_arguments_have_their_c_types() -> None:
    runtime = FakeRuntime()
    kernel = loaded(runtime)
    buffer = kernel.device.allocate(8)
    values = (buffer, -3, 2**64 - 1, 1.5, True, np.float32(0.5), np.int16(-2), ctypes.c_uint8(200))
    launch(kernel.device.default_stream, LaunchConfig(1, 1), kernel, *values)
    assert runtime.table.launches[0].parameters == (
        struct.pack("<Q", buffer.handle),
        struct.pack("<q", -3),
        b"\xff" * 8,
        struct.pack("<d", 1.5),
        b"\x01",
        struct.pack("<f", 0.5),
        struct.pack("<h", -2),
        b"\xc8",
    )


def test_flags_reach_a_table_that_knows_them_and_no_other() -> None:
    runtime = FakeRuntime()
    kernel = loaded(runtime)
    config = LaunchConfig(1, 1, cooperative=True, use_pdl=True)
    launch(kernel.device.default_stream, config, kernel)
    assert runtime.table.launches[0].flags == 3
    for table in (FakeTable(size=40), FakeTable(launch_flags=1)):
        runtime.table = table
        with pytest.raises(RuntimeFailure, match="cannot launch with cooperative=True or use_pdl=True: update"):
            launch(kernel.device.default_stream, config, kernel)
        launch(kernel.device.default_stream, LaunchConfig(1, 1), kernel)
        assert [launched.flags for launched in table.launches] == [0]


@pytest.mark.parametrize("value", [0, -1, 2**32, (1, 2, 3, 4), (), 1.5, True])
def test_configuration_out_of_range_is_refused(value: object) -> None:
    with pytest.raises(ArgumentError, match=r"grid is .*, expected one to three numbers"):
        LaunchConfig(grid=value, block=1)


def test_argument_without_a_c_type_is_refused_with_its_position() -> None:
    kernel = loaded(FakeRuntime())
    with pytest.raises(ArgumentError, match="argument 1 is a 'str': pass a Buffer"):
        launch(kernel.device.default_stream, LaunchConfig(1, 1), kernel, 1, "two")


@pytest.mark.parametrize("value", [2**64, -(2**63) - 1])
def test_integer_beyond_64_bits_is_refused(value: int) -> None:
    kernel = loaded(FakeRuntime())
    with pytest.raises(ArgumentError, match="does not fit in 64 bits"):
        launch(kernel.device.default_stream, LaunchConfig(1, 1), kernel, value)


def test_error_of_the_runtime_is_raised_with_its_text() -> None:
    runtime = FakeRuntime()
    runtime.table = FakeTable(launch_codes=[98])
    kernel = loaded(runtime)
    with pytest.raises(RuntimeFailure, match="fake error 98"):
        launch(kernel.device.default_stream, LaunchConfig(1, 1), kernel)
