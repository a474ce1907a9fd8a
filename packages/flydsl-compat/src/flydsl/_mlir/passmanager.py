"""No pass manager: this says what custom passes are."""

from __future__ import annotations

from typing import NoReturn

from flydsl._mlir.building.unknown import refuse


def __getattr__(name: str) -> NoReturn:
    """What to use instead."""
    refuse(__name__, name, (), "custom passes are LLVM passes: @flyc.jit(llvm_pass_pipeline=...)")
