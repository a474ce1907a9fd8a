"""Launches whose blocks wait for each other: all of them run at once, or the launch is refused."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ..device_libraries import compile_hip

TOO_LARGE = 720
P, I32, U32 = ctypes.c_void_p, ctypes.c_int32, ctypes.c_uint32
SOURCE = r"""
typedef unsigned int u32;
struct Barrier { void *all; u32 rank, grids; unsigned long before, threads; u32 state, unused, blocks; };
// The barrier of a grid as ROCm 6's device libraries have it.
DEVICE void wait_for_all() {
  Barrier *b = ((Barrier **)__builtin_amdgcn_implicitarg_ptr())[11];
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
  __builtin_amdgcn_s_barrier();
  if (__builtin_amdgcn_workitem_id_x() == 0) {
    u32 before = __hip_atomic_fetch_add(&b->state, 1, __ATOMIC_RELEASE, 4);
    u32 last = 0x10000 - b->blocks;
    if ((before & 0xffff) == b->blocks - 1) __hip_atomic_fetch_add(&b->state, last, __ATOMIC_RELEASE, 4);
    before &= ~0xffffu;
    while ((__hip_atomic_load(&b->state, __ATOMIC_ACQUIRE, 4) & ~0xffffu) == before) __builtin_amdgcn_s_sleep(1);
  }
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
}
GLOBAL rounds(int *a, int count) { // each round takes the other end's value of the last one
  int total = __builtin_amdgcn_grid_size_x(), i = THREAD;
  for (int k = 0; k < count; ++k) {
    a[(k + 1) % 2 * total + i] = a[k % 2 * total + total - 1 - i] + i;
    wait_for_all();
  }
}
GLOBAL known(unsigned long *out) {
  Barrier *b = ((Barrier **)__builtin_amdgcn_implicitarg_ptr())[11];
  if (THREAD == 0) { out[0] = b != nullptr; if (b) { out[1] = b->blocks; out[2] = b->threads; out[3] = b->grids; } }
}
"""


@pytest.fixture
def loaded(hip: Any, load: Any, tmp_path: Path) -> Iterator[Any]:
    module = load(compile_hip(SOURCE, "gfx942", tmp_path))
    yield module
    hip.native.hipModuleUnload(module.handle)


def cooperate(hip: Any, module: Any, name: str, grid: int, block: int, *values: Any, way: str = "module") -> None:
    pointers = (P * (len(values) + 1))(*(ctypes.addressof(value) for value in values))
    shape, function = [U32(n) for n in (grid, 1, 1, block, 1, 1)], module.function(name)
    if way == "module":
        code = hip.native.hipModuleLaunchCooperativeKernel(function, *shape, U32(0), None, pointers)
    elif way == "runtime":
        extents = (Dim3(grid, 1, 1), Dim3(block, 1, 1))
        code = hip.native.hipLaunchCooperativeKernel(function, *extents, pointers, U32(0), None)
    else:
        attribute = Attribute(2, 1)
        config = Config(Dim3(grid, 1, 1), Dim3(block, 1, 1), 0, None, ctypes.pointer(attribute), 1)
        code = hip.native.hipDrvLaunchKernelEx(ctypes.byref(config), function, pointers, None)
    hip.check("a cooperative launch", code)


class Dim3(ctypes.Structure):
    _fields_ = [(name, U32) for name in "xyz"]


class Attribute(ctypes.Structure):
    _fields_ = [("id", I32), ("cooperative", I32), ("rest", ctypes.c_char * 64)]

    def __init__(self, number: int, value: int) -> None:
        super().__init__(number, 0, value.to_bytes(4, "little"))


class Config(ctypes.Structure):
    _fields_ = [
        *(("grid", Dim3), ("block", Dim3), ("shared", U32), ("stream", P)),
        *(("attributes", ctypes.POINTER(Attribute)), ("count", U32)),
    ]


@pytest.mark.parametrize("way", ["module", "runtime", "attribute"])
@pytest.mark.parametrize(("blocks", "order"), [(5, "forward"), (700, "backward")])
def test_blocks_wait_for_all_others(hip: Any, loaded: Any, hipsim: Any, way: str, blocks: int, order: str) -> None:
    hipsim.set_order(order)
    total, expected = blocks * 64, np.arange(blocks * 64, dtype=np.int32)
    start, memory = expected.copy(), hip.malloc(8 * total)
    hip.write(memory, start.tobytes())
    cooperate(hip, loaded, "rounds", blocks, 64, P(memory), I32(5), way=way)
    for _ in range(5):
        expected = expected[::-1] + np.arange(total, dtype=np.int32)
    np.testing.assert_array_equal(np.frombuffer(hip.read(memory + 4 * total, 4 * total), np.int32), expected)
    hip.hipFree(memory)


def test_the_barrier_of_a_grid_is_there_in_cooperative_launches_alone(hip: Any, loaded: Any) -> None:
    memory = hip.malloc(32)
    cooperate(hip, loaded, "known", 3, 64, P(memory))
    assert np.frombuffer(hip.read(memory, 32), np.uint64).tolist() == [1, 3, 192, 1]
    loaded.launch("known", 3, 64, P(memory))
    assert np.frombuffer(hip.read(memory, 8), np.uint64).tolist() == [0]
    hip.hipFree(memory)


@pytest.mark.parametrize("way", ["module", "runtime", "attribute"])
def test_a_grid_that_the_device_does_not_hold_at_once_is_refused(hip: Any, loaded: Any, error: Any, way: str) -> None:
    most, units = I32(), I32()
    function = loaded.function("known")
    native = hip.native.hipModuleOccupancyMaxActiveBlocksPerMultiprocessor
    hip.check("occupancy", native(ctypes.byref(most), function, I32(1024), ctypes.c_size_t(0)))
    hip.check("units", hip.native.hipDeviceGetAttribute(ctypes.byref(units), 63, 0))
    memory, blocks = hip.malloc(32), most.value * units.value
    cooperate(hip, loaded, "known", blocks, 1024, P(memory), way=way)
    assert np.frombuffer(hip.read(memory, 32), np.uint64)[1] == blocks
    with pytest.raises(
        error, match=f"too many blocks.*{blocks + 1} blocks of 1024 threads.*holds {blocks} at once"
    ) as caught:
        cooperate(hip, loaded, "known", blocks + 1, 1024, P(memory), way=way)
    assert caught.value.code == TOO_LARGE
    hip.hipFree(memory)
