"""`flyc.from_torch_tensor`: a word that this distribution adds."""

from __future__ import annotations

import pytest
import torch

import flydsl.compiler as flyc
from flydsl.base.errors import ArgumentError
from flydsl.torch.adaptor import TorchAdaptor


def test_a_torch_tensor_is_an_argument_with_a_static_layout_until_it_is_marked() -> None:
    tensor = torch.zeros(4, 6)[:, ::2]
    argument = flyc.from_torch_tensor(tensor, assumed_align=4)
    assert isinstance(argument.adaptor, TorchAdaptor)
    assert str(argument.layout) == "(4,3):(6,2)"
    assert str(argument.mark_stride_dynamic(0, 2).layout) == "(4,3):(?{i64 div=2},2)"
    narrow = flyc.from_torch_tensor(torch.zeros(4, 6), use_32bit_stride=True).mark_layout_dynamic()
    assert str(narrow.layout) == "(?,?):(?,1)"


def test_other_tensors_are_refused() -> None:
    with pytest.raises(ArgumentError, match="takes a torch.Tensor, found list; use from_dlpack"):
        flyc.from_torch_tensor([1.0])
