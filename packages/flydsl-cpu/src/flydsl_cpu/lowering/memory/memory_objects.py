"""The pieces of memory that a kernel's addresses lead to, as far as the lowering made them or was given them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from enum import Enum

from xdsl.dialects import llvm
from xdsl.ir import OpResult, SSAValue


class Overlap(Enum):
    """Whether two pieces of memory have bytes in common."""

    NONE = "none"
    SAME = "same"
    ARGUMENTS = "arguments"
    """What two parameters point to: the caller decides."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class MemoryObjects:
    """Parameters, and the allocations of the lowering by the address where each begins."""

    parameters: set[SSAValue] = field(default_factory=set)
    allocations: dict[SSAValue, Hashable] = field(default_factory=dict)
    """Addresses with equal values begin at one place, others are of memory that does not overlap."""

    def add(self, addresses: Iterable[SSAValue]) -> None:
        """Make allocations known, each of its own memory."""
        for address in addresses:
            self.allocations[address] = len(self.allocations)

    def base(self, address: SSAValue) -> SSAValue:
        """The parameter or allocation that an address is computed from, or what this cannot look through."""
        while address not in self.allocations and isinstance(address, OpResult) and isinstance(address.op, llvm.GEPOp):
            address = address.op.ptr
        return address

    def overlap(self, a: SSAValue, b: SSAValue) -> Overlap:
        """How the memory of two bases is related.

        An address that was an integer, as swizzled ones were, may lead to an allocation too.
        """
        if a is b:
            return Overlap.SAME
        if not all(base in self.parameters or base in self.allocations for base in (a, b)):
            return Overlap.UNKNOWN
        of_a, of_b = self.allocations.get(a), self.allocations.get(b)
        if of_a is None and of_b is None:
            return Overlap.ARGUMENTS
        return Overlap.SAME if of_a == of_b else Overlap.NONE
