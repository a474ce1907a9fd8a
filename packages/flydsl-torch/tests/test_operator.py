"""Operators without kernels: what is checked around a launch. Integration tests have kernels."""

from __future__ import annotations

import itertools
import sys

import pytest
import torch

import flydsl.torch
from flydsl.base.errors import ArgumentError, LibraryMissingError, RuntimeFailure

_numbers = itertools.count()


def twice(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor | None = None) -> None:
    """y = 2 * x."""
    y.copy_(x * 2)


def make(launch: object = twice, out: object = None) -> flydsl.torch.Operator:
    name = f"flydsl_operators::op{next(_numbers)}"
    return flydsl.torch.op(name, out=out or (lambda x: torch.empty_like(x)))(launch)  # type: ignore[arg-type]


def test_it_is_called_like_the_operator_of_torch() -> None:
    op = make()
    assert torch.equal(op(torch.ones(3)), torch.full((3,), 2.0))
    assert torch.equal(op(x=torch.ones(3)), torch.full((3,), 2.0))
    assert op(torch.ones(3, device="meta")).is_meta
    assert op.__doc__ == "y = 2 * x."
    assert repr(op) == f"<operator {op.name}(Tensor x) -> Tensor>"


def test_versions_tell_what_was_written() -> None:
    idle = make(_nothing)
    with pytest.raises(RuntimeFailure, match="no kernel of operator .* writes its output 'y'"):
        idle(torch.ones(3))
    with pytest.raises(RuntimeFailure, match="writes its input 'x'"):
        make(_in_place)(torch.ones(3))
    with torch.inference_mode():
        idle(torch.ones(3))


def _nothing(x: torch.Tensor, y: torch.Tensor) -> None: ...


def _in_place(x: torch.Tensor, y: torch.Tensor) -> None:
    x.add_(1)
    y.copy_(x)


def test_what_out_returns_is_checked() -> None:
    with pytest.raises(ArgumentError, match="returns 1 new tensors, found int"):
        make(out=lambda x: 3)(torch.ones(3))


def test_public_names_come_from_the_package() -> None:
    assert flydsl.torch.__all__ == ["Operator", "detect_missing_gradients", "enable", "op"]
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        flydsl.torch.nothing


@pytest.mark.parametrize("name", ["op", "Operator", "detect_missing_gradients"])
def test_without_torch_a_public_name_says_what_to_install(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("operator", "recording"):
        monkeypatch.delitem(sys.modules, f"flydsl.torch.{module}", raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(LibraryMissingError, match=f"flydsl.torch.{name} needs PyTorch, .* pip install torch"):
        getattr(flydsl.torch, name)
