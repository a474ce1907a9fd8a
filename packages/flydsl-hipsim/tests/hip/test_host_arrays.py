"""Arrays of the host as arguments of kernels, at addresses that were something else before."""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np
import pytest

P, I32 = ctypes.c_void_p, ctypes.c_int32
QUARANTINE = 64 << 20
PRIVATE, ANONYMOUS, FIXED_NOREPLACE = 2, 0x20, 0x100000
READ_WRITE = 3


def fill(module: Any, address: int, size: int) -> None:
    module.launch("fill", (size + 63) // 64, 64, P(address), I32(3), I32(size), I32(64))


def test_kernels_are_done_on_return(module: Any) -> None:
    for size in (64, 1 << 20):  # on the heap, and in a mapping of its own
        array = np.zeros(size, np.int32)
        fill(module, array.ctypes.data, size)
        np.testing.assert_array_equal(array, np.arange(size) + 3)


def test_memory_that_was_registered_once_is_the_hosts_again(hip: Any, module: Any) -> None:
    array = np.zeros(64, np.int32)
    hip.hipHostRegister(array.ctypes.data + 16, 16, 0)
    hip.hipHostUnregister(array.ctypes.data + 16)
    fill(module, array.ctypes.data, 64)
    np.testing.assert_array_equal(array, np.arange(64) + 3)


def test_addresses_of_memory_freed_long_ago_are_the_hosts_again(hip: Any, module: Any) -> None:
    size = mmap.PAGESIZE // 4
    address = hip.malloc(4 * size)
    hip.hipFree(address)
    hip.hipFree(hip.malloc(QUARANTINE))  # pushes it out of what is kept to find late uses
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = P
    libc.mmap.argtypes = (P, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long)
    libc.munmap.argtypes = (P, ctypes.c_size_t)
    flags = PRIVATE | ANONYMOUS | FIXED_NOREPLACE
    assert libc.mmap(address, mmap.PAGESIZE, READ_WRITE, flags, -1, 0) == address
    try:
        fill(module, address, size)
        found = np.ctypeslib.as_array((I32 * size).from_address(address)).copy()
    finally:
        libc.munmap(address, mmap.PAGESIZE)
    np.testing.assert_array_equal(found, np.arange(size) + 3)


def test_an_array_may_lie_in_several_mappings(module: Any) -> None:
    size, dont_fork = 16 * mmap.PAGESIZE, 10
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory.madvise(dont_fork, 4 * mmap.PAGESIZE, 3 * mmap.PAGESIZE)  # three mappings now
    array = np.frombuffer(memory, np.int32)
    fill(module, array.ctypes.data, array.size)
    np.testing.assert_array_equal(array, np.arange(array.size) + 3)
    fill(module, array.ctypes.data + 5 * mmap.PAGESIZE, 11 * mmap.PAGESIZE // 4)  # the first argument is inside
    np.testing.assert_array_equal(array[5 * mmap.PAGESIZE // 4 :], np.arange(11 * mmap.PAGESIZE // 4) + 3)


def test_memory_that_nobody_may_write_is_not_the_kernels(hip: Any, module: Any, error: type[Exception]) -> None:
    memory = mmap.mmap(-1, mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ)
    array = np.frombuffer(memory, np.int32)

    def fill_and_wait() -> None:  # the fault may have come when the launch returns
        fill(module, array.ctypes.data, array.size)
        hip.hipDeviceSynchronize()

    with pytest.raises(error, match="an invalid write: 4 bytes"):
        fill_and_wait()
    hip.hipDeviceReset()
