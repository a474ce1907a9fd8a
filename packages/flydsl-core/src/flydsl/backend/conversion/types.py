"""LLVM types of Fly and narrow-float types."""

from __future__ import annotations

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute

from flydsl.backend.conversion.target import LoweringTarget, MemorySpace
from flydsl.base.errors import IRError
from flydsl.ir.fly.types import CopyAtomType, MemRefType, MmaAtomType, PointerType, TiledCopyType, TiledMmaType
from flydsl.ir.upstream import StructType
from flydsl.passes.registers.storage import storage_type


class TypeConverter:
    """Converts types for one target and remembers them."""

    __slots__ = ("_known", "target")

    def __init__(self, target: LoweringTarget) -> None:
        self.target = target
        self._known: dict[int, tuple[Attribute, Attribute]] = {}  # by identity: most types are shared

    def __call__(self, type_: Attribute) -> Attribute:
        """The converted type; types that LLVM's way down knows stay as they are."""
        found = self._known.get(id(type_))
        if found is None:
            found = self._known[id(type_)] = (type_, self._convert(type_))
        return found[1]

    def space(self, type_: PointerType | MemRefType) -> MemorySpace:
        """The memory space of a pointer or tensor."""
        space = self.target.spaces.get(type_.space)
        if space is None:
            raise IRError(f"target {self.target.name!r} has no address space for {type_}")
        return space

    def _convert(self, type_: Attribute) -> Attribute:
        if isinstance(type_, PointerType):
            return self.space(type_).llvm_type(type_)
        if isinstance(type_, MemRefType):
            return self(type_.pointer)
        if isinstance(type_, TiledCopyType | TiledMmaType):
            return self(type_.atom)
        if isinstance(type_, CopyAtomType | MmaAtomType):
            return StructType(tuple(field.type for field in self.target.state_of(type_.op)))
        if isinstance(type_, VectorType):
            element = self(type_.element_type)
            return type_ if element == type_.element_type else VectorType(element, type_.shape)
        return storage_type(type_)
