"""The conformance suite on torch tensors."""

import torch

from flydsl.testing.suite import Tensors, conformance

TestTorch = conformance(
    "flydsl.torch.plugin",
    tensors=Tensors.of_module("torch").but(refused={"meta": lambda: torch.empty(3, device="meta")}),
    without={"read_only": "a torch tensor cannot forbid to be written"},
)
