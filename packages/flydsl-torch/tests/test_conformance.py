"""The conformance suite on torch tensors."""

import torch

from flydsl.testing.suite import Tensors, conformance


def _is_exported(dtype: str) -> bool:
    """Whether this torch exports such tensors, which the suite compares with; before 2.10 no floats of 8 bits."""
    try:
        torch.zeros(1, dtype=getattr(torch, dtype)).__dlpack__()
    except (BufferError, RuntimeError):  # RuntimeError of torch 2.8
        return False
    return True


TENSORS = Tensors.of_module("torch")
TestTorch = conformance(
    "flydsl.torch.plugin",
    tensors=TENSORS.but(
        dtypes=tuple(filter(_is_exported, TENSORS.dtypes)),
        refused={"meta": lambda: torch.empty(3, device="meta")},
    ),
    without={"read_only": "a torch tensor cannot forbid to be written"},
)
