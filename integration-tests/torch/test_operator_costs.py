"""What a warm call of an operator costs: no more calls of functions than one made by `torch.library.custom_op`."""

import sys

import pytest
import torch

import flydsl.compiler as flyc
import flydsl.expr as fx
import flydsl.torch


@flyc.kernel
def add_kernel(x: fx.Tensor, y: fx.Tensor, n: fx.Int32, z: fx.Tensor):
    z[fx.thread_idx.x] = x[fx.thread_idx.x] + y[fx.thread_idx.x] * n


@flyc.jit
def add(x: fx.Tensor, y: fx.Tensor, n: fx.Int32, z: fx.Tensor):
    add_kernel(x, y, n, z).launch(grid=1, block=4)


@flydsl.torch.op("costs::ours", out=lambda x, y, n: torch.empty_like(x))
def ours(x: torch.Tensor, y: torch.Tensor, n: int, z: torch.Tensor) -> None:
    add(x, y, n, z)


@torch.library.custom_op("costs::theirs", mutates_args=())
def theirs(x: torch.Tensor, y: torch.Tensor, n: int) -> torch.Tensor:
    z = torch.empty_like(x)
    add(x, y, n, z)
    return z


def save(ctx, inputs, output):
    ctx.save_for_backward(inputs[0])


def backward(ctx, gradient):
    return gradient, gradient * 2, None


theirs.register_fake(lambda x, y, n: torch.empty_like(x))
theirs.register_autograd(backward, setup_context=save)
ours.register_backward(backward, setup_context=save)


def calls(function):
    """How many functions of Python and of C a warm call enters."""
    found = []

    def note(frame, event, argument):
        if event in ("call", "c_call"):
            found.append(event)

    for _ in range(3):
        function()
    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(None)
    return len(found)


@pytest.mark.parametrize("way", ["plain", "recorded", "backward"])
def test_an_operator_enters_no_more_functions_than_a_custom_one(way):
    x, y = torch.ones(4, requires_grad=way != "plain"), torch.ones(4)

    def step(operator):
        z = operator(x, y, 2)
        if way == "backward":
            return torch.autograd.grad(z, x, torch.ones_like(z))[0]
        return z

    assert torch.equal(step(ours), step(theirs))
    assert calls(lambda: step(ours)) <= calls(lambda: step(theirs))
