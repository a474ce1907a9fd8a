"""Whether torch gets to see the operations of this thread: then a kernel is an operator to it, and no launch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import torch

_mode_depth = torch._C._len_torch_dispatch_stack
_dispatch: Any = import_module("torch.utils._python_dispatch")
_modes: Any = import_module("torch._ops")
_pre_dispatch_depth = getattr(_modes, "_len_torch_dispatch_stack_pre_dispatch", lambda: 0)


def is_watched() -> bool:
    """Whether a dispatch mode is on, such as one that traces or counts operations."""
    return bool(_mode_depth() or _pre_dispatch_depth())


@contextmanager
def unwatched() -> Iterator[None]:
    """Operations of ours, on samples, that no mode sees nor changes."""
    with _dispatch._disable_current_modes(), torch.inference_mode(False):
        yield


def is_traced(tensor: torch.Tensor) -> bool:
    """Whether the tensor stands for others while torch traces."""
    from torch._subclasses.fake_tensor import FakeTensor
    from torch._subclasses.functional_tensor import FunctionalTensor

    return isinstance(tensor, FakeTensor | FunctionalTensor)
