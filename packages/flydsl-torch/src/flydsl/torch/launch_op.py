"""`torch.ops.flydsl.launch`: the one operator that a kernel call becomes in a graph; eager calls do without it."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from flydsl.torch.call_table import calls

SCHEMA = "launch(Tensor[] ins, Tensor(a!)[] outs, str key, SymInt[] ints, float[] floats) -> ()"

_library = torch.library.Library("flydsl", "DEF")  # type: ignore[no-untyped-call]
_library.define(SCHEMA, tags=(torch.Tag.needs_exact_strides,))  # type: ignore[no-untyped-call]


@torch.library.impl(_library, "launch", "CompositeExplicitAutograd")
def _launch(
    ins: Sequence[torch.Tensor],
    outs: Sequence[torch.Tensor],
    key: str,
    ints: Sequence[int],
    floats: Sequence[float],
) -> None:
    calls[key](ins, outs, ints, floats)


@torch.library.register_fake("flydsl::launch", lib=_library)  # type: ignore[untyped-decorator]
def _fake(
    ins: Sequence[torch.Tensor],
    outs: Sequence[torch.Tensor],
    key: str,
    ints: Sequence[int],
    floats: Sequence[float],
) -> None:
    """Kernels write into what they are given: shapes stay as they are."""


launch = torch.ops.flydsl.launch.default
