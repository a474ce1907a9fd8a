"""What the native reader has to look at besides DLPack's description of a torch tensor.

DLPack tells neither that a tensor is negated lazily (a conjugated one is complex, and no kernel takes these) nor that
autograd records it, and gives all integer types of up to 8 bits as those of 8.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import torch

from flydsl.adaptors.dtypes import DTYPES
from flydsl.plugins import ExchangeRead

_WORD = 8
_IMPLEMENTATION = 192
"""Bytes in which the dispatch keys of a tensor are looked for; every TensorImpl has more."""


@cache
def exchange_read(written: Callable[[tuple[Any, ...]], object]) -> ExchangeRead:
    """How tensors and parameters are read; `written` is told of those that a launch wrote."""
    state = dispatch_keys()
    return ExchangeRead(
        never=("is_neg",) if state is None else (),
        never_written=("requires_grad",),
        shared=(DTYPES["int8"], DTYPES["uint8"]),
        state=state,
        written=written,
        streams=torch.version.cuda is not None,  # builds for others may tell the default stream, whichever is current
    )


def dispatch_keys() -> tuple[int, int] | None:
    """Where a tensor has its dispatch keys, of which one says that it is negated; None when that cannot be seen.

    Reading them there takes a hundredth of the time that asking `is_neg()` takes. An offset counts when all samples
    have there what torch says of them.
    """
    try:
        samples = list(_samples())
        keys = [torch._C._dispatch_keys(sample).raw_repr() for sample in samples]
        addresses = range(object.__basicsize__, torch.Tensor.__basicsize__, _WORD)
        (address,) = (at for at in addresses if all(_word(id(sample) + at) == sample._cdata for sample in samples))
        words = range(0, _IMPLEMENTATION, _WORD)
        pairs = list(zip(samples, keys, strict=True))
        (word,) = (at for at in words if all(_word(sample._cdata + at) == key for sample, key in pairs))
    except Exception:  # another torch, which has them elsewhere or does not tell them
        return None
    return (address, word) if keys[0] not in keys[1:-2] else None


def _word(address: int) -> int:
    return ctypes.c_uint64.from_address(address).value


def _samples() -> Iterator[torch.Tensor]:
    """A plain tensor, some whose dispatch keys must differ from its, and two whose keys may be the same."""
    plain = torch.zeros(2, 3)
    yield plain
    yield torch._neg_view(plain)
    yield torch.zeros(2, 3, dtype=torch.complex64).conj()
    yield torch.zeros(2, 3, dtype=torch.complex64).conj().imag
    yield torch.empty(2, 3, device="meta")
    with torch.inference_mode():
        yield torch.zeros(2, 3)
    yield torch.nn.Parameter(plain)
    yield plain.t()
