"""`torch.ops.flydsl.launch`: the one operator that a kernel call becomes in a graph; eager calls do without it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from flydsl.base.errors import UnsupportedTensorError
from flydsl.torch.call_table import calls
from flydsl.torch.recording import lacks_derivative

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


def _record(keyset: Any, ins: Sequence[Any], outs: Sequence[Any], key: str, ints: Sequence[int], floats: Any) -> None:
    """What a kernel writes has no gradient; it is an error where a derivative of forward mode would be dropped."""
    if lacks_derivative(ins):
        raise UnsupportedTensorError(
            f"kernel function {key.partition(':')[0]!r} has no derivative of forward mode (torch.func.jvp, jacfwd, "
            "linearize): use reverse mode, through an operator made with flydsl.torch.op"
        )
    with torch._C._AutoDispatchBelowAutograd():
        launch.redispatch(keyset & torch._C._after_autograd_keyset, ins, outs, key, ints, floats)


_library.impl("launch", _record, "Autograd", with_keyset=True)  # type: ignore[no-untyped-call]


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
