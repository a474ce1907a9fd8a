"""DLPack's numbers for the kinds of devices, under the names of its header."""

from __future__ import annotations

from enum import IntEnum


class DeviceKind(IntEnum):
    """`DLDeviceType`: those that an array or a runtime known here uses. Prints as the number that it is."""

    CPU = 1
    CUDA = 2
    CUDA_HOST = 3
    METAL = 8
    ROCM = 10
    ROCM_HOST = 11
    ONEAPI = 14

    __repr__ = int.__repr__


HOST_KINDS = frozenset({DeviceKind.CPU, DeviceKind.CUDA_HOST, DeviceKind.ROCM_HOST})
"""Memory that the host reads: its own, and what is pinned for a device."""

DEFAULT_STREAM_IS_1 = frozenset({DeviceKind.CUDA})
"""Where stream 0 of `__dlpack__` means something else than the default stream."""
