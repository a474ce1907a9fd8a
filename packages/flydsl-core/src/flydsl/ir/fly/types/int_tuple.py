"""Types of integer tuples, and of the basis elements that stand for a mode in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import flydsl.layout as fl
from flydsl.base.errors import IRError
from flydsl.ir.fly.types.payload import PayloadType, StructuredType, payload


@dataclass(frozen=True, eq=False, repr=False)
class BasisType(PayloadType):
    """`!fly.basis<1E0>`: a value along a mode."""

    name: ClassVar[str] = "fly.basis"
    parse_at = staticmethod(fl.parse_basis_at)
    value: fl.Basis

    @property
    def modes(self) -> tuple[int, ...]:
        """The path of the mode it counts along."""
        return tuple(self.value.path)


@dataclass(frozen=True, eq=False, repr=False)
class IntTupleType(StructuredType):
    """`!fly.int_tuple<(4,(?,8))>`: a nested tuple of integers; an SSA value carries its dynamic leaves."""

    name: ClassVar[str] = "fly.int_tuple"
    parse_at = staticmethod(fl.parse_int_tuple_at)
    value: fl.IntTuple

    @classmethod
    def get(cls, value: object) -> Self:
        """The type of an int tuple: of types, values of the language, Python ints or nested tuples of them."""
        return cls(payload(value))

    def at(self, mode: int) -> IntTupleType:
        """The type of one mode."""
        return IntTupleType(fl.get(self.value, mode=(mode,)))

    @property
    def is_leaf_int(self) -> bool:
        """Whether this is one static integer."""
        return isinstance(self.value, int)

    @property
    def is_leaf_basis(self) -> bool:
        """Whether this is one basis element."""
        return isinstance(self.value, fl.Basis)

    @property
    def get_static_leaf_int(self) -> int:
        """The integer of a static leaf."""
        if not isinstance(self.value, int):
            raise IRError(f"{self} is no static integer")
        return self.value

    @property
    def get_leaf_as_basis(self) -> BasisType:
        """The type of the basis element that this leaf is."""
        if not isinstance(self.value, fl.Basis):
            raise IRError(f"{self} is no basis element")
        return BasisType(self.value)
