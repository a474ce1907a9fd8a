"""A function in, its register allocations out: which become SSA values, and what control flow writes to them."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, VectorType
from xdsl.ir import Attribute, Operation, Region, SSAValue

from flydsl.base.errors import IRError
from flydsl.ir.fly import AddOffsetOp, MakePtrOp, MakeViewOp, PtrLoadOp, PtrStoreOp
from flydsl.ir.fly.attributes import REGISTER
from flydsl.ir.fly.element import element_bits
from flydsl.ir.fly.types import IntTupleType, PointerType
from flydsl.passes.cached_attributes import vector_of
from flydsl.passes.registers.storage import storage_type
from flydsl.passes.rewriting import operands_of

__all__ = ["Allocation", "RegisterAccesses"]


@dataclass(eq=False, slots=True)
class Allocation:
    """`count` registers of `element`; `promoted` until an access turns up that an SSA value cannot serve."""

    op: MakePtrOp
    element: Attribute
    count: int
    enclosure: int
    promoted: bool = True

    @property
    def type(self) -> Attribute:
        """The type of all of it as one value."""
        return self.element if self.count == 1 else vector_of(self.element, self.count)


@dataclass(slots=True)
class RegisterAccesses:
    """What a walk over a function found."""

    allocations: dict[SSAValue, Allocation] = field(default_factory=dict)
    pointers: dict[SSAValue, tuple[Allocation, int]] = field(default_factory=dict)
    """Every pointer into an allocation, with its offset in elements."""
    written: dict[Operation, dict[Allocation, None]] = field(default_factory=dict)
    """Structured operation -> allocations made outside of it and stored to inside, in order of appearance."""
    _enclosures: int = 0

    @classmethod
    def of(cls, function: Operation) -> RegisterAccesses:
        """Walk the function."""
        found = cls()
        found._region(function.regions[0], 0, [])
        for writes in found.written.values():
            for allocation in [a for a in writes if not a.promoted]:
                del writes[allocation]
        return found

    def _region(self, region: Region, enclosure: int, parents: list[Operation]) -> None:
        """`enclosure` numbers what control flow is structured within: values cannot be threaded out of it."""
        for block in region.blocks:
            if len(region.blocks) > 1:
                self._enclosures += 1
                enclosure = self._enclosures
            for op in block.ops:
                self._visit(op, enclosure, parents)
                inner = enclosure
                if op.regions and not isinstance(op, scf.IfOp | scf.ForOp | scf.WhileOp):
                    self._enclosures += 1
                    inner = self._enclosures
                if op.regions:
                    self.written[op] = {}
                for nested in op.regions:
                    self._region(nested, inner, [*parents, op])

    def _visit(self, op: Operation, enclosure: int, parents: list[Operation]) -> None:
        if isinstance(op, MakePtrOp):
            self._allocate(op, enclosure)
            return
        for index, operand in enumerate(operands_of(op)):
            found = self.pointers.get(operand)
            if found is None:
                continue
            allocation, offset = found
            if allocation.enclosure != enclosure or not self._access(op, index, allocation, offset):
                allocation.promoted = False
            elif isinstance(op, PtrStoreOp):
                for parent in parents:
                    if not parent.is_ancestor(allocation.op):
                        self.written[parent][allocation] = None

    def _allocate(self, op: MakePtrOp, enclosure: int) -> None:
        type_ = op.results[0].type
        attributes = op.dict_attrs
        size = attributes.data.get("allocSize") if isinstance(attributes, DictionaryAttr) else None
        if not isinstance(type_, PointerType) or type_.space != REGISTER:
            return
        if not isinstance(size, IntegerAttr) or size.value.data <= 0:
            raise IRError(f"a register allocation needs a positive allocSize, found {attributes}")
        allocation = Allocation(op, storage_type(type_.element), size.value.data, enclosure)
        self.allocations[op.results[0]] = allocation
        self.pointers[op.results[0]] = (allocation, 0)

    def _access(self, op: Operation, index: int, allocation: Allocation, offset: int) -> bool:
        """True when an SSA value can serve this use."""
        if isinstance(op, AddOffsetOp) and index == 0:
            moved = operands_of(op)[1].type
            if not isinstance(moved, IntTupleType) or type(moved.value) is not int:
                return False
            self.pointers[op.results[0]] = (allocation, offset + moved.value)
            return True
        if isinstance(op, PtrLoadOp):
            return _fits(op.results[0].type, allocation, offset)
        if isinstance(op, PtrStoreOp) and index == 1:
            return _fits(operands_of(op)[0].type, allocation, offset)
        return isinstance(op, MakeViewOp) and op.results[0].first_use is None


def _fits(type_: Attribute, allocation: Allocation, offset: int) -> bool:
    """An access of this type is a run of whole elements of the allocation."""
    element, count = (type_.element_type, type_.element_count()) if type(type_) is VectorType else (type_, 1)
    same = element == allocation.element or element_bits(element) == element_bits(allocation.element)
    return same and offset >= 0 and offset + count <= allocation.count
