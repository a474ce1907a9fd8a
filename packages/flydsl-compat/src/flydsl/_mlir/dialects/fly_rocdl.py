"""What kernels use of the `fly_rocdl` dialect by name: its address space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flydsl._mlir.building.unknown import refuse

if TYPE_CHECKING:
    from xdsl.ir import Attribute


class _Spaces(type):
    """The metaclass of `TargetAddressSpace`: its members are made when the dialect is there."""

    @property
    def BufferDesc(cls) -> Attribute:  # noqa: N802
        """The address space of pointers that are a buffer resource and an offset."""
        from flydsl._mlir.building.text import parse

        return parse("#fly_rocdl.buffer_desc")


class TargetAddressSpace(metaclass=_Spaces):
    """The address spaces that AMD GPUs have besides those of every target."""


def __getattr__(name: str) -> Any:
    """What is not here, with what to use instead."""
    refuse(__name__, name, ("TargetAddressSpace",), "the atoms and functions of the target are in fx.rocdl")
