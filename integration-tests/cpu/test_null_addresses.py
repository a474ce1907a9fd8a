"""Null pointers and tensors without memory are refused before a launch; tensors without elements need no memory."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import ArgumentError, UnsupportedTensorError


@flyc.kernel
def put_kernel(p: fx.Pointer, x: fx.Tensor):
    for i in range(fx.size(x)):
        p[i] = x[i]


@flyc.jit
def put(p: fx.Pointer, x: fx.Tensor):
    put_kernel(p, x).launch(grid=1, block=1)


@pytest.mark.parametrize("address", [None, 0, ctypes.c_void_p()])
@pytest.mark.parametrize("is_cached", [False, True])
def test_a_null_pointer_is_refused(address, is_cached):
    x, out = np.ones(3, np.float32), np.zeros(3, np.float32)
    if is_cached:
        put(flyc.from_c_void_p(fx.Float32, out.ctypes.data), x)
        assert (out == 1).all()
    with pytest.raises(ArgumentError, match="argument 'p': the pointer is null") as caught:
        put(flyc.from_c_void_p(fx.Float32, address), x)
    assert caught.value.location.file == __file__


def test_a_prepared_call_refuses_it_too():
    x, out = np.ones(3, np.float32), np.zeros(3, np.float32)
    prepared = flyc.compile(put, flyc.from_c_void_p(fx.Float32, out.ctypes.data), x)
    with pytest.raises(ArgumentError, match="argument 'p': the pointer is null"):
        prepared(flyc.from_c_void_p(fx.Float32, None), x)


def test_an_array_without_elements_is_fine():
    out = np.zeros(3, np.float32)
    put(flyc.from_c_void_p(fx.Float32, out.ctypes.data), np.zeros(0, np.float32))
    assert (out == 0).all()


def test_a_tensor_that_lost_its_memory_is_refused():
    torch = pytest.importorskip("torch")
    x, out = torch.ones(3), np.zeros(3, np.float32)
    pointer = flyc.from_c_void_p(fx.Float32, out.ctypes.data)
    put(pointer, x)
    assert (out == 1).all()
    x.untyped_storage().resize_(0)
    with pytest.raises(UnsupportedTensorError, match=r"argument 'x': the tensor .*has no (data|memory)"):
        put(pointer, x)
    put(pointer, x[:0])
