"""Wishes about registers of single values; LLVM takes none of them, so that they change no code.

They are hints by their nature: the value is the same wherever it lies.
"""

from __future__ import annotations

from typing import Any

from flydsl.base.errors import FrontendError
from flydsl_rocm.features import Feature

from .chips import require

__all__ = ["sched_agpr", "sched_bank", "sched_sgpr", "sched_vgpr"]

_BANKS = 4
_VECTOR_REGISTERS, _SCALAR_REGISTERS = 256, 106


def sched_bank(value: Any, bank: int, soft: bool = False) -> Any:
    """`value`, wished for in a bank of vector registers, 0 to 3 (gfx1250)."""
    require("experimental.sched_bank", Feature.REGISTER_BANKS)
    return _checked("sched_bank", value, bank, _BANKS)


def sched_vgpr(value: Any, regnum: int, soft: bool = False) -> Any:
    """`value`, wished for in a vector register."""
    require("experimental.sched_vgpr")
    return _checked("sched_vgpr", value, regnum, _VECTOR_REGISTERS)


def sched_sgpr(value: Any, regnum: int, soft: bool = False) -> Any:
    """`value`, wished for in a scalar register."""
    require("experimental.sched_sgpr")
    return _checked("sched_sgpr", value, regnum, _SCALAR_REGISTERS)


def sched_agpr(value: Any, regnum: int, soft: bool = False) -> Any:
    """`value`, wished for in an accumulation register."""
    require("experimental.sched_agpr")
    return _checked("sched_agpr", value, regnum, _VECTOR_REGISTERS)


def _checked(name: str, value: Any, number: Any, count: int) -> Any:
    if type(number) is not int or not 0 <= number < count:
        raise FrontendError(f"fx.rocdl.experimental.{name} takes a number from 0 to {count - 1}, found {number!r}")
    return value
