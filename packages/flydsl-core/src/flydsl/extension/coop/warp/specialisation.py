"""The facts of algorithms of warps."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from flydsl.extension.coop.specialisation import Specialisation

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import StorableType


@dataclass(frozen=True, kw_only=True)
class WarpSpecialisation(Specialisation):
    """The facts of an algorithm of groups of `width` lanes, None for the warp; those of sorts have a type of values."""

    width: int | None
    items: int = 1
    value_dtype: StorableType | None = None
    algorithm: Enum | None = None
