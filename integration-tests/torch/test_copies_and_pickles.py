"""Models that hold kernels are copied and pickled as others are."""

from __future__ import annotations

import copy
import io
import pickle

import pytest
import torch

import flydsl.compiler as flyc
import flydsl.expr as fx
import flydsl.torch


@flyc.kernel
def scale_kernel(x: fx.Tensor, y: fx.Tensor):
    y[fx.thread_idx.x] = x[fx.thread_idx.x] * 3


@flyc.jit
def scale(x: fx.Tensor, y: fx.Tensor):
    scale_kernel(x, y).launch(grid=1, block=4)


@flydsl.torch.op("flydsl_copies::tripled", out=lambda x: torch.empty_like(x))
@flyc.jit
def tripled(x: fx.Tensor, y: fx.Tensor):
    scale_kernel(x, y).launch(grid=1, block=4)


class Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.bias = torch.nn.Parameter(torch.ones(4))
        self.launch, self.operator = scale, tripled

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        self.launch(x, y)
        return y + self.operator(x) + self.bias


def saved_and_loaded(model: Model) -> Model:
    file = io.BytesIO()
    torch.save(model, file)
    file.seek(0)
    return torch.load(file, weights_only=False)


@pytest.mark.parametrize(
    "way",
    [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model)), saved_and_loaded],
    ids=["copy", "pickle", "save"],
)
def test_a_copied_model_has_weights_of_its_own_and_the_same_kernels(way):
    model = Model()
    made = way(model)
    assert made.launch is scale
    assert made.operator is tripled
    with torch.no_grad():
        made.bias.zero_()
        x = torch.arange(4.0)
        assert torch.equal(made(x), x * 6)
        assert torch.equal(model(x), x * 6 + 1)


def test_an_average_of_weights_is_taken_of_a_model_with_kernels():
    averaged = torch.optim.swa_utils.AveragedModel(Model())
    assert torch.equal(averaged(torch.arange(4.0)).detach(), torch.arange(4.0) * 6 + 1)
