"""`from_jax`: a jax array as an input with a layout of its own."""

from __future__ import annotations

import jax

from flydsl.backend.frameworks import TensorArgument
from flydsl.base.errors import ArgumentError


def from_jax(x: jax.Array, *, assumed_align: int | None = None, use_32bit_stride: bool = False) -> TensorArgument:
    """`x` as an input of a `@flyc.jit` function with a static layout; chain `mark_*` to open it, as with `from_dlpack`.

    Waits until the array is ready. A kernel that writes it is refused: `flydsl.jax.call` returns new arrays.
    """
    if not isinstance(x, jax.core.Tracer | jax.Array):
        raise ArgumentError(f"from_jax takes a jax.Array, found {type(x).__name__}; use from_dlpack")
    return TensorArgument(x, assumed_align=assumed_align, use_32bit_stride=use_32bit_stride)
