"""Arrays of the host as arguments: kernels reach their elements, and nothing that lies around them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import RuntimeFailure
from flydsl_hipsim.bench import HipsimBench
from flydsl_hipsim.runtime import HipsimRuntime

GUARD = 4096
"""Elements around the array under test: an access that is not refused hits them, and not other memory."""


@flyc.kernel
def store_kernel(x: fx.Pointer, at: fx.Int64) -> None:
    x[at] = fx.Float32(1.0)


@flyc.jit
def store(x: fx.Tensor, at: fx.Int64) -> None:
    store_kernel(fx.get_iter(x), at).launch(grid=1, block=1)


@flyc.jit
def store_at(x: fx.Pointer, at: fx.Int64) -> None:
    store_kernel(x, at).launch(grid=1, block=1)


@flyc.kernel
def load_kernel(x: fx.Pointer, y: fx.Tensor, at: fx.Int64) -> None:
    y[0] = x[at]


@flyc.jit
def load(x: fx.Tensor, y: fx.Tensor, at: fx.Int64) -> None:
    load_kernel(fx.get_iter(x), y, at).launch(grid=1, block=1)


@flyc.kernel
def add_kernel(x: fx.Pointer, at: fx.Int64) -> None:
    fx.atomic_add(x + at, fx.Float32(1.0))


@flyc.jit
def add(x: fx.Tensor, at: fx.Int64) -> None:
    add_kernel(fx.get_iter(x), at).launch(grid=1, block=1)


VIEWS: dict[str, tuple[Callable[[np.ndarray], np.ndarray], int, int]] = {
    "slice": (lambda a: a[GUARD : GUARD + 10], 0, 10),
    "reversed": (lambda a: a[GUARD + 9 : GUARD - 1 : -1], -9, 1),
    "strided": (lambda a: a[GUARD : GUARD + 28 : 3], 0, 28),
    "columns": (lambda a: a.reshape(-1, 64)[64:66, 3:5], 0, 66),
    "transposed": (lambda a: a.reshape(-1, 64)[64:66, 3:5].T, 0, 66),
    "scalar": (lambda a: a[GUARD].reshape(()), 0, 1),
    "empty": (lambda a: a[GUARD:GUARD], 0, 0),
}


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_reaches_from_its_first_to_its_last_element(hipsim: HipsimBench, view: str) -> None:
    make, first, end = VIEWS[view]
    memory = np.zeros(2 * GUARD, np.float32)
    array = make(memory) if view != "scalar" else memory[GUARD : GUARD + 1].reshape(())
    for at in {first, end - 1} if end > first else ():
        store(array, at)
    assert memory.sum() == len({first, end - 1} if end > first else ())
    expected = memory.copy()
    for at in (first - 1, end, end + 1000, first - 1000):
        with pytest.raises(RuntimeFailure, match="an invalid write: 4 bytes"):
            store(array, at)
        hipsim.clear_faults()
    np.testing.assert_array_equal(memory, expected)


@pytest.mark.parametrize("call", [store, add])
def test_the_error_says_how_far_outside_of_which_array(
    hipsim: HipsimBench, monkeypatch: pytest.MonkeyPatch, call: Any
) -> None:
    monkeypatch.setenv("FLYDSL_DEBUG_ENABLE_DEBUG_INFO", "1")
    memory = np.zeros(2 * GUARD, np.float32)
    array = memory[GUARD : GUARD + 32]
    for at, words in ((35, "12 bytes past the end of"), (-2, "8 bytes before")):
        with pytest.raises(RuntimeFailure, match=f"invalid .*{words} an array argument of 128 bytes") as caught:
            call(array, at)
        assert "in kernel '" in str(caught.value)
        assert f"({__file__.rpartition('/')[2]}:" in str(caught.value)
        hipsim.clear_faults()
    assert not memory.any()


def test_reads_outside_are_found(hipsim: HipsimBench) -> None:
    memory, y = np.arange(2 * GUARD, dtype=np.float32), np.zeros(1, np.float32)
    load(memory[GUARD : GUARD + 32], y, 31)
    assert y[0] == GUARD + 31
    with pytest.raises(RuntimeFailure, match="an invalid read: 4 bytes.*0 bytes past the end of an array argument"):
        load(memory[GUARD : GUARD + 32], y, 32)
    assert y[0] == GUARD + 31


def test_two_launches_at_once_have_their_own_arrays(hipsim: HipsimBench) -> None:
    """What one call may touch, the next may not: nothing is left over."""
    memory = np.zeros(2 * GUARD, np.float32)
    store(memory, GUARD + 40)
    with pytest.raises(RuntimeFailure, match="an invalid write"):
        store(memory[GUARD : GUARD + 8], 40)


def test_prepared_calls_know_the_arrays_of_each_call(hipsim: HipsimBench) -> None:
    memory = np.zeros(2 * GUARD, np.float32)
    prepared = store.prepare(memory[:8], 0)
    prepared(memory[GUARD : GUARD + 8], 7)
    assert memory[GUARD + 7] == 1
    with pytest.raises(RuntimeFailure, match="0 bytes past the end of an array argument of 32 bytes"):
        prepared(memory[GUARD : GUARD + 8], 8)


def test_an_address_reaches_what_is_mapped_around_it(hipsim: HipsimBench) -> None:
    """Of a raw address no extent is known; inside of an array that is another argument it is that array's."""
    memory = np.zeros(2 * GUARD, np.float32)
    pointer = flyc.from_c_void_p(fx.Float32, memory.ctypes.data + 4 * GUARD)
    store_at(pointer, 5)
    store_at(pointer, -5)
    assert np.flatnonzero(memory).tolist() == [GUARD - 5, GUARD + 5]
    with pytest.raises(RuntimeFailure, match="an invalid write"):
        store_at(pointer, 1 << 40)


def test_a_null_pointer_is_named(hipsim: HipsimBench) -> None:
    store_at(flyc.from_c_void_p(fx.Float32, 16), 2)  # without arrays of the host it does not wait
    with pytest.raises(RuntimeFailure, match="an invalid write: 4 bytes at 0x18 .a null pointer"):
        HipsimRuntime().synchronize(0)


def test_memory_of_the_device_is_as_large_as_its_allocation(hipsim: HipsimBench) -> None:
    runtime = HipsimRuntime()
    address = runtime.allocate(0, 256)
    try:
        pointer = flyc.from_c_void_p(fx.Float32, address)
        store_at(pointer, 63)
        runtime.synchronize(0)
        store_at(pointer, 64)
        with pytest.raises(RuntimeFailure, match=r"\(0 bytes past the end of an allocation of 256 bytes\)"):
            runtime.synchronize(0)
    finally:
        hipsim.clear_faults()
        runtime.free(address)
