"""`fly_host.encode_tensor_map`: what a host function makes of a tensor for hardware that copies boxes of it.

A tensor map is 128 bytes that the runtime writes at each launch (`FlyRuntimeApi.encode_tensor_map`), and a parameter
that kernels have in their own memory. A backend's words make this operation on the host, hand its result to kernels,
and give it an address space whose pointers are such parameters.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import ClassVar, Self

from xdsl.dialects.builtin import StringAttr, UnitAttr
from xdsl.ir import Attribute, Dialect, Operation, OpTraits, SSAValue
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind
from xdsl.utils.exceptions import VerifyException

_RECIPE, _WRITTEN = "recipe", "written"
MAX_RANK = 5


class _Effects(MemoryEffect):
    """A map is memory of its own; through it kernels read the tensor, or write it where the operation says so."""

    @classmethod
    def get_effects(cls, op: Operation) -> Set[EffectInstance]:
        kind = MemoryEffectKind.WRITE if _WRITTEN in op.attributes else MemoryEffectKind.READ
        return {EffectInstance(kind, op.operands[0]), EffectInstance(MemoryEffectKind.ALLOC, op.results[0])}


class EncodeTensorMapOp(Operation):
    """`(address, extents..., strides...) {recipe, written?} -> pointer`: extents in elements and strides in bytes, i64,
    the contiguous dimension first. `recipe` are bytes for the runtime, as hexadecimal text.
    """

    name: ClassVar[str] = "fly_host.encode_tensor_map"
    traits: ClassVar[OpTraits] = OpTraits(lambda: (_Effects(),))

    @classmethod
    def of(
        cls,
        address: SSAValue,
        extents: Sequence[SSAValue],
        strides: Sequence[SSAValue],
        recipe: bytes,
        type_: Attribute,
        *,
        written: bool = False,
    ) -> Self:
        """The map of the tensor at an address; `written`: kernels write the tensor through it."""
        attributes: dict[str, Attribute] = {_RECIPE: StringAttr(recipe.hex())}
        if written:
            attributes[_WRITTEN] = UnitAttr()
        return cls.create(operands=[address, *extents, *strides], result_types=[type_], attributes=attributes)

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return (len(self.operands) - 1) // 2

    @property
    def recipe(self) -> bytes:
        """What the runtime is told besides."""
        found = self.attributes.get(_RECIPE)
        return bytes.fromhex(found.data) if isinstance(found, StringAttr) else b""

    def verify_(self) -> None:
        if not 1 <= self.rank <= MAX_RANK or len(self.operands) != 1 + 2 * self.rank:
            raise VerifyException(
                f"{self.name} takes an address, and as many strides as extents, up to {MAX_RANK}; "
                f"found {len(self.operands)} operands"
            )


FLY_HOST = Dialect("fly_host", [EncodeTensorMapOp])
"""Operations of host functions that launchers carry out."""
