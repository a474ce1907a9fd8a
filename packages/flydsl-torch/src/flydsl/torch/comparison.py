"""Comparison of all tensors of a call at once, by the guards that torch's own compiler checks before it runs code.

They are not part of torch's public API: they are used only where they are seen to tell apart what must be told apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from flydsl.plugins import Match, Matcher


def tensor_guards() -> Matcher | None:
    """What compares tensors by torch's guards; None where this torch has none that can be trusted."""
    try:
        from torch._C._dynamo.guards import TensorGuards

        matcher = _matcher(TensorGuards)
        return matcher if _is_right(matcher) else None
    except Exception:  # another torch: its guards may be anything
        return None


def _matcher(guards: Callable[..., Any]) -> Matcher:
    def matcher(tensors: Sequence[torch.Tensor], written: Sequence[bool]) -> Match | None:
        """Guards look at `requires_grad`, not at whether gradients are recorded: that decides about a written one."""
        if any(w and tensor.requires_grad for tensor, w in zip(tensors, written, strict=True)):
            return None
        made = guards(
            *tensors,
            dynamic_dims_sizes=[list(tensor.shape) for tensor in tensors],
            dynamic_dims_strides=[list(tensor.stride()) for tensor in tensors],
        )
        check: Match = made.check
        return check

    return matcher


def _is_right(matcher: Matcher) -> bool:
    tensor = torch.zeros(2, 3)
    match = matcher([tensor, tensor], [False, True])
    if match is None or not match(tensor, torch.ones(2, 3)):
        return False
    return not any(match(tensor, other) or match(other, tensor) for other in _others(tensor))


def _others(tensor: torch.Tensor) -> Iterator[torch.Tensor]:
    """Tensors that differ from `tensor` in one of the things that need other code, or that are refused."""
    yield torch.zeros(2, 3, dtype=torch.float64)  # made so, as a first conversion takes torch 10 ms
    yield torch.zeros(2, 3, dtype=torch.int32)
    yield torch.empty(2, 3, device="meta")
    yield torch.zeros(3, 3)[:2].t().t()[:, :2]
    yield torch.zeros(3, 2).t()
    yield torch.zeros(2, 6)[:, ::2]
    yield torch.zeros(2, 3, 1)
    yield torch.zeros(2, 3, requires_grad=True)
    yield torch.nn.Parameter(tensor, requires_grad=False)
    yield torch._neg_view(tensor)
    yield torch.zeros(2, 3, dtype=torch.complex64).conj()
