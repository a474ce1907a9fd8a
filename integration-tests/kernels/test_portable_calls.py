"""Portable calls, launched through the launcher's C function on memory of the device, as frameworks do."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.adaptors.dtypes import DTYPES
from flydsl.compiler import AbstractTensor
from flydsl.compiler.aot.portable import CallTemplate
from flydsl.runtime.device import Device
from flydsl.runtime.kernel import check_launch

BLOCK = 64


@flyc.kernel
def blend_kernel(a: fx.Tensor, b: fx.Tensor, out: fx.Tensor, weight: fx.Float32):
    column = fx.block_idx.x * BLOCK + fx.thread_idx.x
    if column < out.shape[1]:
        for row in range(out.shape[0]):
            out[row, column] = a[row, column] * weight + b[column]


@flyc.jit
def blend(a: fx.Tensor, b: fx.Tensor, out: fx.Tensor, weight: fx.Float32):
    blend_kernel(a, b, out, weight).launch(grid=fx.ceil_div(out.shape[1], BLOCK), block=BLOCK)


def launch(portable: CallTemplate, arrays: list[np.ndarray]) -> None:
    """Run `portable` on copies in device memory, and copy what it wrote back."""
    device = Device()
    runtime = device.begin_work()
    loaded = portable.artifact.load()
    buffers = [device.allocate(array.nbytes) for array in arrays]
    for buffer, array in zip(buffers, arrays, strict=True):
        buffer.copy_from(array)
    packed = portable.pack([buffer.handle for buffer in buffers], [array.shape for array in arrays])
    code = loaded.launcher.fly_launch_packed(runtime.api_table(), loaded.module, loaded.ordinal, None, packed)
    check_launch(code, runtime)
    device.sync()
    for number in portable.written:
        buffers[number].copy_to(arrays[number])


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("shape", [(1, 1), (3, 130), (7, 64)])
def test_it_computes_what_the_call_computes(shape: tuple[int, int], is_open: bool):
    random = np.random.default_rng(sum(shape))
    a, b = random.standard_normal(shape, np.float32), random.standard_normal(shape[1:], np.float32)
    out = np.zeros(shape, np.float32)
    wide = tuple(None if is_open else extent for extent in shape)
    tensors = [AbstractTensor(extents, DTYPES["float32"]) for extents in (wide, wide[1:], wide)]
    portable = blend.portable(*tensors, 0.75)
    assert portable.written == (2,)
    launch(portable, [a, b, out])
    np.testing.assert_allclose(out, a.astype(np.float64) * 0.75 + b, rtol=1e-6, atol=1e-6)
