"""`fx.tdm_ops`: `fx.rocdl.tdm_ops` by the name that it had before."""

from __future__ import annotations

from typing import NoReturn

from .rocdl.tdm_ops import tensor_wait

__all__ = ["tensor_wait"]

_DESCRIPTORS = frozenset({"TDMDescriptor2D", "make_tensor_descriptor_2d", "tensor_load_2d", "tensor_store_2d"})


def __getattr__(name: str) -> NoReturn:
    """What to write in place of descriptors, which earlier versions had."""
    advice = "; an atom has the descriptor: fx.rocdl.make_tdm_atom(tile, extents, strides=...), moved by fx.copy"
    raise AttributeError(f"fx.tdm_ops has no {name!r}{advice if name in _DESCRIPTORS else ''}", name=name)
