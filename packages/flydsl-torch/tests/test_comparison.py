"""torch's guards as a comparison of tensors: true of nothing that needs other code or is refused."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from flydsl.torch.adaptor import TorchAdaptor
from flydsl.torch.comparison import tensor_guards


def match_of(*tensors: torch.Tensor, written: bool = False) -> Any:
    matcher = tensor_guards()
    assert matcher is not None
    return matcher(tensors, [False] * (len(tensors) - 1) + [written])


@pytest.mark.parametrize("make", [
    lambda: torch.zeros(4, 5),
    lambda: torch.zeros(4, 5).t()[1:, ::2],
    lambda: torch.zeros(()),
    lambda: torch.zeros(0, 3),
    lambda: torch.zeros(1, 3).expand(4, 3),
    lambda: torch.zeros(3, dtype=torch.float8_e4m3fn),
    lambda: torch.nn.Parameter(torch.zeros(2)),
])  # fmt: skip
def test_it_is_true_of_tensors_with_equal_signatures(make: Any) -> None:
    first, other = torch.zeros(2, 3), make()
    match = match_of(first, other)
    assert match(first, other)
    assert match(torch.ones(2, 3), make())
    assert not match(other, first)


def others() -> dict[str, torch.Tensor]:
    plain = torch.zeros(2, 3)
    with FakeTensorMode():
        fake = torch.zeros(2, 3)
    return {
        "dtype": plain.double(),
        "integers": plain.int(),
        "half floats of another kind": plain.bfloat16(),
        "shape": torch.zeros(3, 2),
        "rank": torch.zeros(2, 3, 1),
        "strides": torch.zeros(3, 2).t(),
        "gaps": torch.zeros(2, 6)[:, ::2],
        "strides of a mode with one element": torch.zeros(2, 3)[:1],
        "expanded": torch.zeros(1, 3).expand(2, 3),
        "gradient": torch.zeros(2, 3, requires_grad=True),
        "subclass": torch.nn.Parameter(plain, requires_grad=False),
        "meta": torch.zeros(2, 3, device="meta"),
        "fake": fake,
        "negated": torch._neg_view(plain),
        "negated by complex numbers": torch.zeros(2, 3, dtype=torch.complex64).conj().imag,
        "conjugated": torch.zeros(2, 3, dtype=torch.complex64).conj(),
        "sparse": plain.to_sparse(),
    }


@pytest.mark.parametrize("case", others())
def test_it_is_false_of_what_differs_in_anything(case: str) -> None:
    plain, other = torch.zeros(2, 3), others()[case]
    match = match_of(plain, plain)
    assert not match(plain, other)
    assert not match(other, plain)


@pytest.mark.parametrize("other", [None, 3, "text", object(), [1.0], torch.float32])
def test_it_is_false_of_what_is_no_tensor(other: object) -> None:
    assert not match_of(torch.zeros(2, 3))(other)


def test_it_is_false_inside_of_transformations() -> None:
    plain, results = torch.zeros(2, 3), []
    match = match_of(plain)

    def function(tensor: torch.Tensor) -> torch.Tensor:
        results.append(match(tensor))
        return tensor.sum()

    torch.vmap(function)(torch.zeros(5, 2, 3))
    torch.func.grad(function)(torch.zeros(2, 3))
    assert results == [False, False]


def test_a_recorded_tensor_is_compared_only_when_it_is_read() -> None:
    recorded = torch.zeros(3, requires_grad=True)
    assert match_of(recorded)(recorded)
    assert match_of(recorded, written=True) is None
    with torch.no_grad():
        assert match_of(recorded, written=True) is None


def test_it_follows_a_tensor_that_is_changed_in_place() -> None:
    tensor = torch.zeros(2, 3)
    match = match_of(tensor)
    tensor.resize_(3, 2)
    assert not match(tensor)
    tensor.resize_(2, 3).requires_grad_()
    assert not match(tensor)
    tensor.requires_grad_(False).data = torch.zeros(2, 3, dtype=torch.float64)
    assert not match(tensor)


class Careless:
    """Guards that take any tensors for equal."""

    def __init__(self, *tensors: Any, **sizes: Any) -> None:
        self.check = lambda *others: True


class Wrong:
    """Guards that take no tensors for equal."""

    def __init__(self, *tensors: Any, **sizes: Any) -> None:
        self.check = lambda *others: False


@pytest.mark.parametrize("guards", [Careless, Wrong, object, None])
def test_guards_of_another_torch_are_not_used_unless_they_are_right(
    guards: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    other: Any = ModuleType("guards") if guards is None else SimpleNamespace(TensorGuards=guards)
    monkeypatch.setitem(sys.modules, "torch._C._dynamo.guards", other)
    assert tensor_guards() is None
    inline = TorchAdaptor().inline
    assert inline is not None
    assert inline.matcher is None


def test_the_adaptor_offers_it_to_stubs() -> None:
    other = TorchAdaptor()
    assert other.inline is not None
    assert other.inline.matcher is not None


def test_guards_are_tried_when_a_stub_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[object] = []
    monkeypatch.setattr("flydsl.torch.comparison.tensor_guards", lambda: tried.append(1))
    other = TorchAdaptor()
    assert not tried
    assert other.inline is other.inline is not None
    assert len(tried) == 1
