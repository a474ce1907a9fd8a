"""Exchange between the threads of a wave, for every type and width."""

from __future__ import annotations

import numpy as np
import pytest
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError

LANES = np.arange(32)
SOURCES = {
    "xor": LANES ^ 5,
    "up": np.where(LANES % 8 >= 3, LANES - 3, LANES),
    "down": np.where(LANES % 8 < 5, LANES + 3, LANES),
    "idx": LANES - LANES % 8 + 2,
}


def kernel_of(mode):
    @flyc.kernel
    def run(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        if fx.const_expr(mode == "xor"):
            y[i] = fx.shuffle_xor(x[i], 5, 8)
        if fx.const_expr(mode == "up"):
            y[i] = fx.shuffle_up(x[i], 3, 8)
        if fx.const_expr(mode == "down"):
            y[i] = fx.shuffle_down(x[i], 3, 8)
        if fx.const_expr(mode == "idx"):
            y[i] = fx.shuffle_idx(x[i], 2, 8)

    return run


@pytest.mark.parametrize("mode", list(SOURCES))
@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float32, np.int64, np.float64])
def test_each_thread_reads_from_its_group(mode, dtype):
    x = (LANES * 3 - 7).astype(dtype)
    y = np.zeros(32, dtype)
    launch(kernel_of(mode), x, y)
    np.testing.assert_array_equal(y, x[SOURCES[mode]])


def test_the_lane_is_the_number_in_the_wave(fake_device):
    @flyc.kernel
    def lanes(x: fx.Tensor):
        x[fx.thread_idx.x] = fx.lane_id()

    x = np.zeros(80, np.int32)
    launch(lanes, x, block=80)
    assert x.tolist() == [i % 32 for i in range(80)]  # the waves of the fake device have 32 threads


@pytest.mark.parametrize("width", [3, 0, 128])
def test_a_width_is_a_power_of_two_of_a_wave(emitted, width):
    with pytest.raises(FrontendError):
        emitted(lambda x: fx.shuffle_xor(x, 1, width), fx.Int32)
