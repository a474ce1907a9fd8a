"""`fx.tdm_ops`: `fx.rocdl.tdm_ops` by the name that it had before."""

from __future__ import annotations

from .rocdl.tdm_ops import tensor_wait

__all__ = ["tensor_wait"]
