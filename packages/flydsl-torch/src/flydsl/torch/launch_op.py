"""`torch.ops.flydsl.launch`: the one operator that a kernel call becomes in a graph; eager calls do without it."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from flydsl.torch.call_table import calls

SCHEMA = "launch(Tensor[] ins, Tensor(a!)[] outs, str key, SymInt[] ints, float[] floats) -> ()"

_library = torch.library.Library("flydsl", "DEF")
_library.define(SCHEMA, tags=(torch.Tag.needs_exact_strides,))


@torch.library.impl(_library, "launch", "CompositeExplicitAutograd")
def _launch(
    ins: Sequence[torch.Tensor],
    outs: Sequence[torch.Tensor],
    key: str,
    ints: Sequence[int],
    floats: Sequence[float],
) -> None:
    calls[key](ins, outs, ints, floats)


@torch.library.register_fake("flydsl::launch", lib=_library)
def _fake(
    ins: Sequence[torch.Tensor],
    outs: Sequence[torch.Tensor],
    key: str,
    ints: Sequence[int],
    floats: Sequence[float],
) -> None:
    """Kernels write into what they are given: shapes stay as they are."""


launch = torch.ops.flydsl.launch.default
