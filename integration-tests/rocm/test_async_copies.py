"""gfx1250's copies between global memory and LDS past the registers, with their waits, on the simulator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FlyDSLError, FrontendError, RuntimeFailure, UnsupportedTargetError
from flydsl_hipsim.bench import HipsimBench

TYPES = {
    8: (fx.Int8, np.int8),
    32: (fx.Float32, np.float32),
    64: (fx.Float32, np.float32),
    128: (fx.Float16, np.float16),
}
THREADS = 96


def shared(dtype: Any, count: int, align: int = 16) -> fx.Tensor:
    size = count * dtype.width // 8
    return fx.make_view(fx.recast_iter(dtype, fx.SharedAllocator().allocate(size, align)), fx.make_layout(count, 1))


def mirrored(bits: int, dtype: Any, wait: Callable[[], None]) -> Any:
    """To LDS and back to memory; threads store what the one opposite of them has loaded."""
    width = bits // dtype.width

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        tiles, per = shared(dtype, THREADS * width), fx.make_layout(width, 1)
        load = fx.make_copy_atom(fx.rocdl.cdna5.GlobalLoadAsyncLDS(bits), dtype)
        fx.copy(load, fx.logical_divide(x, per)[None, i], fx.logical_divide(tiles, per)[None, i])
        wait()
        fx.barrier()
        store = fx.make_copy_atom(fx.rocdl.cdna5.GlobalStoreAsyncLDS(bits), dtype)
        fx.copy(store, fx.logical_divide(tiles, per)[None, THREADS - 1 - i], fx.logical_divide(y, per)[None, i])
        fx.rocdl.s_wait_asynccnt(0)

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=1, block=THREADS)

    return host


def waited() -> None:
    fx.rocdl.s_wait_asynccnt(0)


def marked() -> None:
    fx.rocdl.asyncmark()
    fx.rocdl.wait_asyncmark(0)


@pytest.mark.parametrize("wait", [waited, marked])
@pytest.mark.parametrize("bits", TYPES)
def test_copies_go_to_lds_and_back(hipsim: HipsimBench, bits: int, wait: Callable[[], None], rng):
    hipsim.use("gfx1250")
    dtype, array = TYPES[bits]
    x = rng.integers(-100, 100, (THREADS, bits // dtype.width)).astype(array)
    y = np.zeros_like(x).ravel()
    mirrored(bits, dtype, wait)(x.ravel(), y)
    np.testing.assert_array_equal(y.reshape(x.shape), x[::-1])


@pytest.mark.parametrize("tiles", [1, 2, 7])
def test_the_next_tile_is_on_its_way_while_one_is_used(hipsim: HipsimBench, tiles: int, rng):
    """Two stages of LDS; a wait leaves the newest copy outstanding."""
    hipsim.use("gfx1250")

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor, count: fx.Int32):
        i = fx.thread_idx.x
        stages, per = shared(fx.Float32, 2 * 4 * 32), fx.make_layout(4, 1)
        load = fx.make_copy_atom(fx.rocdl.cdna5.GlobalLoadAsyncLDS(128), fx.Float32)
        sources, places = fx.logical_divide(x, per), fx.logical_divide(stages, per)
        fx.copy(load, sources[None, i], places[None, i])
        total = fx.Float32(0)
        for k in range(count):
            if k + 1 < count:
                fx.copy(load, sources[None, i + 32 * (k + 1)], places[None, i + 32 * ((k + 1) % 2)])
                fx.rocdl.s_wait_asynccnt(1)
            else:
                fx.rocdl.s_wait_asynccnt(0)
            for e in fx.range_constexpr(4):
                total = total + stages[4 * (i + 32 * (k % 2)) + e]
        y[i] = total

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor, count: fx.Int32):
        kernel(x, y, count).launch(grid=1, block=32)

    x, y = rng.integers(-50, 50, tiles * 128).astype(np.float32), np.zeros(32, np.float32)
    host(x, y, tiles)
    np.testing.assert_array_equal(y, x.reshape(tiles, 32, 4).sum(axis=(0, 2)))


def test_the_check_of_waits_finds_what_was_not_waited_for(hipsim: HipsimBench):
    hipsim.use("gfx1250")
    hipsim.set_check("waits")
    x = np.zeros(THREADS * 8, np.float16)
    with pytest.raises(RuntimeFailure, match="before an asynchronous copy to it has been waited for"):
        mirrored(128, fx.Float16, lambda: None)(x, np.zeros_like(x))


def from_registers(x: fx.Tensor):
    atom = fx.make_copy_atom(fx.rocdl.cdna5.GlobalLoadAsyncLDS(32), fx.Float32)
    fx.copy(atom, fx.make_rmem_tensor(1, fx.Float32), shared(fx.Float32, 1))


def wrong_way(x: fx.Tensor):
    atom = fx.make_copy_atom(fx.rocdl.cdna5.GlobalStoreAsyncLDS(32), fx.Float32)
    fx.copy(atom, fx.logical_divide(x, fx.make_layout(1, 1))[None, 0], shared(fx.Float32, 1))


def elements_apart(x: fx.Tensor):
    atom = fx.make_copy_atom(fx.rocdl.cdna5.GlobalLoadAsyncLDS(128), fx.Float32)
    fx.copy(atom, fx.make_view(fx.get_iter(x), fx.make_layout(4, 2)), shared(fx.Float32, 4))


REFUSED = [
    (from_registers, "global_load_async_lds<32> copies a tensor in global memory to shared memory, found"),
    (wrong_way, "global_store_async_lds<32> copies shared memory to a tensor in global memory, found"),
    (elements_apart, "moves 128 contiguous bits, but its source has the layout"),
]


@pytest.mark.parametrize(("body", "message"), REFUSED, ids=lambda value: getattr(value, "__name__", ""))
def test_what_cannot_be_copied_is_an_error_at_the_copy(hipsim: HipsimBench, body: Any, message: str):
    hipsim.use("gfx1250")
    made = flyc.kernel(body)

    @flyc.jit
    def host(x: fx.Tensor):
        made(x).launch(grid=1, block=32)

    with pytest.raises(FlyDSLError, match=message) as caught:
        host(np.zeros(64, np.float32))
    assert "fx.copy(" in str(caught.value)


def test_other_widths_and_chips_are_refused(hipsim: HipsimBench):
    @flyc.kernel
    def kernel(x: fx.Tensor, op: fx.Constexpr):
        fx.make_copy_atom(op(), fx.Float32)

    @flyc.jit
    def host(x: fx.Tensor, op: fx.Constexpr):
        kernel(x, op).launch(grid=1, block=32)

    x = np.zeros(4, np.float32)
    hipsim.use("gfx1250")
    with pytest.raises(FrontendError, match="global_load_async_lds moves 8, 32, 64, 128 bits, found 96"):
        host(x, lambda: fx.rocdl.cdna5.GlobalLoadAsyncLDS(96))
    hipsim.use("gfx950")
    with pytest.raises(UnsupportedTargetError, match="gfx950 has no fx.rocdl.cdna5.GlobalStoreAsyncLDS; .* gfx1250"):
        host(x, lambda: fx.rocdl.cdna5.GlobalStoreAsyncLDS(32))
