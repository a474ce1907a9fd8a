"""Tensors that are not plain ones: subclasses, float8, expanded, wrapped, short-lived, inside of captures."""

import pytest
import torch
from support.kernels import scale

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import RuntimeFailure, UnsupportedTensorError
from flydsl.torch.adaptor import TorchAdaptor


class Named(torch.Tensor):
    """A subclass that only adds a name."""


def test_a_subclass_with_memory_is_a_tensor():
    x, y = torch.randn(37).as_subclass(Named), torch.zeros(37).as_subclass(Named)
    for _ in range(2):
        scale(x, y, 3.0, 37)
        torch.testing.assert_close(y.as_subclass(torch.Tensor), x.as_subclass(torch.Tensor) * 3)


@flyc.kernel
def copy_kernel(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    y[i] = x[i]


@flyc.jit
def copy(x: fx.Tensor, y: fx.Tensor):
    copy_kernel(x, y).launch(grid=1, block=x.shape[0])


FLOAT8 = [torch.float8_e4m3fn, torch.float8_e4m3fnuz, torch.float8_e5m2, torch.float8_e8m0fnu]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.int16, torch.uint8, *FLOAT8])
def test_bytes_of_every_type_are_copied(dtype):
    x = torch.randint(0, 100, (33,), dtype=torch.uint8)
    x, y = x.repeat_interleave(dtype.itemsize).view(dtype), torch.zeros(33 * dtype.itemsize, dtype=torch.uint8)
    copy(x, y.view(dtype))
    assert torch.equal(y, x.view(torch.uint8))


def test_short_lived_tensors_live_until_they_are_used():
    y = torch.zeros(64)
    for value in range(50):
        copy(torch.full((64,), float(value)), y)
        assert y.eq(value).all()


def test_an_expanded_input_is_read():
    y = torch.zeros(9)
    copy(torch.full((1,), 2.5).expand(9), y)
    assert y.eq(2.5).all()


@pytest.mark.parametrize("transform", [torch.vmap, torch.func.grad])
def test_wrapped_tensors_are_refused_with_help(transform):
    def call(x):
        y = torch.empty_like(x)
        copy(x, y)
        return y.sum()

    x, y = torch.randn(4), torch.zeros(4)
    copy(x, y)  # a stub serves calls like it
    with pytest.raises(UnsupportedTensorError, match=r"argument 'x': .*an operator made with flydsl.torch.op"):
        transform(call)(x[None] if transform is torch.vmap else x)


def test_nothing_is_loaded_during_a_capture(monkeypatch):
    @flyc.jit
    def late(x: fx.Tensor, y: fx.Tensor):
        copy_kernel(x, y).launch(grid=1, block=4)

    x, y = torch.randn(4), torch.zeros(4)
    copy(x, y)
    monkeypatch.setattr(TorchAdaptor, "is_capturing", lambda self, device: True)
    copy(x, y)
    with pytest.raises(RuntimeFailure, match="'late' is not loaded for these arguments.*once before the capture"):
        late(x, y)
    monkeypatch.undo()
    late(x, y)
    assert torch.equal(x, y)
