"""Gather and scatter by offsets and flags, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError


def views(x, offsets, y):
    return (
        fx.get_iter(x),
        fx.make_view(fx.get_iter(offsets), fx.make_layout(3, 1)),
        fx.make_view(fx.get_iter(y), fx.make_layout((2, 3), (1, 2))),
    )


@flyc.kernel
def gathers(x: fx.Tensor, offsets: fx.Tensor, y: fx.Tensor):
    base, where, parts = views(x, offsets, y)
    fx.gather(fx.make_copy_atom(fx.UniversalCopy(32), 32), base, where, parts)


@flyc.kernel
def scatters(x: fx.Tensor, offsets: fx.Tensor, y: fx.Tensor):
    base, where, parts = views(x, offsets, y)
    fx.scatter(fx.make_copy_atom(fx.UniversalCopy(32), 32), parts, base, where)


OFFSETS = np.array([7, 0, 4], np.int32)


def test_each_offset_gives_neighbouring_elements():
    x, y = np.arange(10, dtype=np.float32), np.zeros(6, np.float32)
    launch(gathers, x, OFFSETS, y, block=1)
    np.testing.assert_array_equal(y, x[OFFSETS[:, None] + [0, 1]].ravel())


def test_scattering_puts_them_there():
    x, y = np.zeros(10, np.float32), np.arange(1, 7, dtype=np.float32)
    launch(scatters, x, OFFSETS, y, block=1)
    np.testing.assert_array_equal(x, [3, 4, 0, 0, 5, 6, 0, 1, 2, 0])


def test_one_offset_for_each_part():
    @flyc.kernel
    def wrong(x: fx.Tensor, offsets: fx.Tensor, y: fx.Tensor):
        base, _, parts = views(x, offsets, y)
        two = fx.make_view(fx.get_iter(offsets), fx.make_layout(2, 1))
        fx.gather(fx.make_copy_atom(fx.UniversalCopy(32), 32), base, two, parts)

    with pytest.raises(FrontendError, match="gather of .* needs 3 offsets, found"):
        launch(wrong, np.zeros(10, np.float32), OFFSETS, np.zeros(6, np.float32), block=1)
