"""`flydsl.compiler.from_torch_tensor`: a torch tensor as an argument with a layout of its own."""

from __future__ import annotations

import torch

from flydsl.backend.frameworks import TensorArgument
from flydsl.base.errors import ArgumentError


def from_torch_tensor(
    tensor: torch.Tensor, *, assumed_align: int | None = None, use_32bit_stride: bool = False
) -> TensorArgument:
    """`tensor` as an argument with a static layout; chain `mark_*` to open it, as after `from_dlpack`."""
    if not isinstance(tensor, torch.Tensor):
        raise ArgumentError(f"from_torch_tensor takes a torch.Tensor, found {type(tensor).__name__}; use from_dlpack")
    return TensorArgument(tensor, assumed_align=assumed_align, use_32bit_stride=use_32bit_stride)
