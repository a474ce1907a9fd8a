"""The memory format of values: Booleans are bytes in tensors, bits in registers."""

from __future__ import annotations

import numpy as np
import pytest
from interpreted import launch
from xdsl.dialects.builtin import f32, i1, i8, i32

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.expr.memory.memory_format import loaded, memory_dtype, stored


@pytest.mark.parametrize(
    ("dtype", "element", "expected"),
    [
        (fx.Boolean, i8, fx.Int8),
        (fx.Boolean, None, fx.Int8),
        (fx.Boolean, i1, fx.Boolean),
        (fx.Uint8, i8, fx.Uint8),
        (fx.Float32, f32, fx.Float32),
    ],
)
def test_a_boolean_is_a_byte_but_for_registers_of_bits(dtype, element, expected):
    assert memory_dtype(dtype, element) is expected


def test_a_boolean_is_stored_as_a_byte_and_read_as_a_comparison(emitted):
    def use(x):
        byte = stored(i8, x < 3)
        return byte, loaded(fx.Boolean, i8, byte)

    run = emitted(use, fx.Int32)
    byte, truth = run.result
    assert byte.type == i8
    assert truth.dtype is fx.Boolean
    assert run.names[:2] == ["arith.cmpi", "arith.extui"]  # 0 or 1, not 0 or -1
    assert run.names[-1] == "arith.cmpi"


def test_other_scalars_are_stored_and_read_as_they_are(emitted):
    def use(x):
        return x.ir_value(), stored(i32, x), loaded(fx.Uint32, i32, x.ir_value())

    run = emitted(use, fx.Uint32)
    before, value, again = run.result
    assert value is before
    assert again.dtype is fx.Uint32
    assert run.names == []


def test_a_vector_of_booleans_keeps_its_shape(emitted):
    def use(x):
        flags = fx.Vector.filled((4,), x, fx.Int32) > 2
        return loaded(fx.Boolean, i8, stored(i8, flags), (4,))

    result = emitted(use, fx.Int32).result
    assert result.dtype is fx.Boolean
    assert tuple(result.shape) == (4,)


@flyc.kernel
def keep_positive(x: fx.Tensor, flags: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    flags[i] = x[i] > 0
    y[i] = flags[i].select(x[i], -1)


def test_flags_in_memory_are_zeros_and_ones(rng):
    x = rng.integers(-5, 6, 37).astype(np.int32)
    flags, y = np.zeros(37, bool), np.zeros(37, np.int32)
    launch(keep_positive, x, flags, y, block=37)
    np.testing.assert_array_equal(flags, x > 0)
    np.testing.assert_array_equal(y, np.where(x > 0, x, -1))
