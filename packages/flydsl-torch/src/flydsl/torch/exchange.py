"""What the native reader has to look at besides DLPack's description of a torch tensor.

DLPack tells neither that a tensor is negated lazily (a conjugated one is complex, and no kernel takes these) nor that
autograd records it, and gives all integer types of up to 8 bits as those of 8. Asked about a nested tensor it ends the
process. Nor does a read notice that torch watches the operations of a thread, to trace or count them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch.autograd import forward_ad

from flydsl.backend.frameworks import DTYPES
from flydsl.plugins import ExchangeRead
from flydsl.torch.recording import NO_LEVEL

_WORD = 8
_IMPLEMENTATION = 192
"""Bytes in which the dispatch keys of a tensor are looked for; every TensorImpl has more."""
_REFUSED = (
    *("QuantizedCPU", "SparseCPU", "SparseCsrCPU", "NestedTensorCPU", "MkldnnCPU", "Meta", "Python", "Negative"),
    *("Conjugate", "ZeroTensor", "Functionalize", "FuncTorchBatched", "FuncTorchGradWrapper", "BatchedNestedTensor"),
    "Batched",
)
"""Dispatch keys of tensors that the adaptor refuses, or that are not in memory as dense ones are."""
_WATCHING = ("Python", "PreDispatch", "Tracer")
"""Dispatch keys of a thread whose operations a dispatch mode or `torch.jit.trace` gets to see."""
_IS_INCLUDED = "_ZN3c104impl28tls_is_dispatch_key_includedENS_11DispatchKeyE"


@cache
def exchange_read(written: Callable[[tuple[Any, ...]], object]) -> ExchangeRead | None:
    """How tensors and parameters are read; `written` is told of those that a launch wrote. None: not safely."""
    state, idle = dispatch_keys(), watches()
    if state is None or idle is None:
        return None
    return ExchangeRead(
        never_written=("requires_grad",),
        shared=(DTYPES["int8"], DTYPES["uint8"]),
        state=(*state, refused_keys()),
        idle=idle,
        steady=((vars(forward_ad), "_current_level", NO_LEVEL),),
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


def refused_keys() -> int:
    """The bits of dispatch keys that no tensor has which the exchange API may be asked about."""
    plain, bits = torch._C._dispatch_keys(torch.zeros(1)).raw_repr(), 0
    for name in _REFUSED:
        with suppress(RuntimeError, ValueError):  # a key that this torch does not have
            bits |= torch._C.DispatchKeySet(_key(name)).raw_repr()
    return int(bits & ~plain)


def watches() -> tuple[tuple[int, int], ...] | None:
    """torch's function that says whether this thread has a dispatch key, for each key of `_WATCHING`; None: unknown."""
    try:
        (library,) = (Path(torch.__file__).parent / "lib").glob("libc10.*")
        is_included = ctypes.CDLL(str(library))[_IS_INCLUDED]
        is_included.restype, is_included.argtypes = ctypes.c_bool, (ctypes.c_uint32,)
        keys = [_key(name) for name in _WATCHING]
        before = [is_included(int(key)) for key in keys]
        for key in keys:
            with torch._C._IncludeDispatchKeyGuard(key):
                inside = [is_included(int(other)) for other in keys]
            if inside != [other == key or was for other, was in zip(keys, before, strict=True)]:
                return None
    except Exception:  # another torch, which has no such function
        return None
    address = ctypes.cast(is_included, ctypes.c_void_p).value or 0
    return tuple((address, int(key)) for key in keys)


def _key(name: str) -> Any:
    return torch._C._parse_dispatch_key(name)


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
