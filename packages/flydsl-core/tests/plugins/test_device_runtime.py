"""The boundary of device runtimes: what an implementation must have, and what it may leave."""

from __future__ import annotations

import pytest

from flydsl.base.errors import RuntimeFailure
from flydsl.plugins.device_runtime import CopyKind, DeviceInfo, DeviceRuntime, DeviceStatus
from flydsl.testing.fakes import FakeRuntime

REQUIRED = {
    "status", "device_count", "device_info", "current_ordinal", "allocate", "free", "copy", "memset", "create_stream",
    "destroy_stream", "synchronize_stream", "create_event", "destroy_event", "record_event", "stream_wait_event",
    "synchronize_event", "elapsed_ms", "synchronize", "api_table", "error_message",
}  # fmt: skip


def test_every_method_but_one_is_required():
    assert DeviceRuntime.__abstractmethods__ == REQUIRED


@pytest.mark.parametrize("missing", sorted(REQUIRED))
def test_a_runtime_without_a_method_cannot_be_made(missing):
    methods = {name: lambda self: None for name in REQUIRED - {missing}}
    with pytest.raises(TypeError, match=missing):
        type("Partial", (DeviceRuntime,), methods)()


def test_a_runtime_that_cannot_tell_the_occupancy_says_so():
    with pytest.raises(RuntimeFailure, match="runtime 'fake' cannot tell how many blocks a compute unit runs"):
        DeviceRuntime.max_blocks_per_unit(FakeRuntime(), 0, 1, (32, 1, 1))


def test_a_runtime_that_counts_nothing_says_so():
    assert DeviceRuntime.cost_unit == ""
    with pytest.raises(RuntimeFailure, match="runtime 'fake' does not count what launches cost"):
        FakeRuntime().cost(lambda: None)


def test_directions_of_copies_have_the_numbers_of_drivers():
    assert [(kind.name, kind.value) for kind in CopyKind] == [
        ("HOST_TO_HOST", 0),
        ("HOST_TO_DEVICE", 1),
        ("DEVICE_TO_HOST", 2),
        ("DEVICE_TO_DEVICE", 3),
    ]


def test_a_status_needs_no_reason_and_infos_have_a_fixed_order():
    assert DeviceStatus(True) == (True, "")
    assert DeviceInfo._fields == (
        "ordinal", "name", "arch", "memory_bytes", "warp_size", "max_threads_per_block", "shared_bytes_per_block",
        "compute_units",
    )  # fmt: skip
