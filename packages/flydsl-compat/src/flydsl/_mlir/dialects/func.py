"""The `func` dialect of MLIR, of which there is nothing to build: functions of a trace are those of Python."""

from __future__ import annotations

from typing import NoReturn

from flydsl._mlir.building.unknown import refuse


def __getattr__(name: str) -> NoReturn:
    """What to write instead."""
    refuse(__name__, name, (), "write a function of Python; @flyc.jit makes the host function, @flyc.kernel the kernel")
