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


@pytest.mark.parametrize(("causal", "depth"), [(False, 128), (True, 64)])
def test_the_operator_has_a_gradient_for_each_input(example: ModuleType, causal: bool, depth: int) -> None:
    with FakeTensorMode():
        q, k, v = (torch.empty(2, heads, 33, depth, dtype=torch.bfloat16, requires_grad=True) for heads in (6, 2, 2))
        o = example.attend(q, k, v, causal)
        found = torch.autograd.grad(o.sum(), (q, k, v))
        assert (o.shape, o.dtype) == (q.shape, q.dtype)
        assert [(x.shape, x.dtype) for x in found] == [(x.shape, x.dtype) for x in (q, k, v)]


def test_nobody_takes_the_logarithms_for_something_with_a_gradient(example: ModuleType) -> None:
    with FakeTensorMode():
        q = torch.empty(2, 33, 128, dtype=torch.bfloat16, requires_grad=True)
        o, lse = example.attention(q, q, q, False)
        assert (o.requires_grad, lse.requires_grad, lse.shape) == (True, False, (2, 33))


@pytest.mark.parametrize("in_order", [False, True])
def test_gradients_are_added_in_order_where_torch_is_told_to_be_deterministic(
    example: ModuleType, in_order: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[bool] = []

    def gradients(q: object, k: object, v: object, *others: object) -> tuple[object, ...]:
        found.append(bool(others[-1]))
        return q, k, v

    monkeypatch.setattr(example, "gradients", gradients)
    monkeypatch.setattr(torch, "are_deterministic_algorithms_enabled", lambda: in_order)
    with FakeTensorMode():
        q = torch.empty(1, 2, 33, 64, dtype=torch.bfloat16, requires_grad=True)
        torch.autograd.grad(example.attend(q, q, q).sum(), q)
    assert found == [in_order]


def test_heads_without_a_gradient_are_refused_by_name(example: ModuleType) -> None:
    with FakeTensorMode(), pytest.raises(ValueError, match="heads of 64 or 128 channels, found 96"):
        example.attend(*[torch.empty(1, 2, 33, 96, dtype=torch.bfloat16)] * 3)
