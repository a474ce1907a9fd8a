"""Copies between global memory and registers that say what the caches do with the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .arguments import check_numbers, checked
from .chips import require

__all__ = ["GlobalCopy"]


@dataclass(frozen=True, slots=True)
class _GlobalCopy:
    bits: int
    cache: str
    second: str

    def ir_type(self) -> Any:
        """`!fly_nvvm.sm80.global_copy<...>`, checked against the target."""
        from flydsl_cuda.atoms.global_copies import GlobalCopyType

        require("GlobalCopy", in_kernel=False)
        return checked("GlobalCopy", lambda: GlobalCopyType(self.bits, self.cache, self.second))


def GlobalCopy(bits: int = 128, cache: str = "", second: str = "") -> _GlobalCopy:  # noqa: N802 - an operation, used like a class
    """A copy of 32, 64 or 128 bits between global memory and registers, which stays where it is among other accesses.

    `cache` says what the first cache does: `"no_allocate"` does not keep the data, `"evict_first"` gives it up first,
    `"evict_last"` last; without it, as usual. So data that is used once leaves room for data that is used again.
    `second` says what the second cache does: `"evict_first"`, `"evict_last"`, or `"evict_unchanged"`, which changes
    nothing for what is there.
    """
    check_numbers("GlobalCopy", bits=bits)
    return _GlobalCopy(bits, cache, second)
