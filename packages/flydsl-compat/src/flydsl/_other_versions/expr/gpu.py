"""Names of `flydsl.expr.gpu`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.ir import Attribute


def lds_space() -> Attribute:
    """The address space of shared memory as an attribute, `#gpu.address_space<workgroup>`."""
    from flydsl._mlir.building.text import parse

    return parse("#gpu.address_space<workgroup>")
