"""Attention as an operator of torch: shapes, types and gradients while torch traces, where nothing is launched."""

from __future__ import annotations

from types import ModuleType

import pytest
import torch
from support.examples import load_example
from torch._subclasses.fake_tensor import FakeTensorMode


@pytest.fixture(scope="module")
def example() -> ModuleType:
    """Loaded once, as an operator is registered once."""
    return load_example("cuda_08_torch_attention")


@pytest.mark.parametrize("causal", [False, True])
def test_the_operator_has_a_gradient_for_each_input(example: ModuleType, causal: bool) -> None:
    with FakeTensorMode():
        q, k, v = (torch.empty(2, heads, 33, 128, dtype=torch.bfloat16, requires_grad=True) for heads in (6, 2, 2))
        o = example.attend(q, k, v, causal)
        found = torch.autograd.grad(o.sum(), (q, k, v))
        assert (o.shape, o.dtype) == (q.shape, q.dtype)
        assert [(x.shape, x.dtype) for x in found] == [(x.shape, x.dtype) for x in (q, k, v)]


def test_nobody_takes_the_logarithms_for_something_with_a_gradient(example: ModuleType) -> None:
    with FakeTensorMode():
        q = torch.empty(2, 33, 128, dtype=torch.bfloat16, requires_grad=True)
        o, lse = example.attention(q, q, q, False)
        assert (o.requires_grad, lse.requires_grad, lse.shape) == (True, False, (2, 33))
