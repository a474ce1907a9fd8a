"""Register allocations of a function: which become SSA values, in what parts, and where those are written."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from xdsl.dialects import scf
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, VectorType
from xdsl.ir import Attribute, Operation, Region, SSAValue

from flydsl.base.errors import IRError
from flydsl.ir.fly import AddOffsetOp, MakePtrOp, MakeViewOp, PtrLoadOp, PtrStoreOp
from flydsl.ir.fly.attributes import REGISTER
from flydsl.ir.fly.element import element_bits
from flydsl.ir.fly.types import IntTupleType, PointerType
from flydsl.passes.cached_attributes import vector_of
from flydsl.passes.located import with_location
from flydsl.passes.registers.storage import storage_type
from flydsl.passes.rewriting import operands_of


@dataclass(eq=False, slots=True)
class Part:
    """A run of registers that is always read and written as a whole: one SSA value."""

    start: int
    count: int
    type: Attribute


@dataclass(eq=False, slots=True)
class Allocation:
    """`count` registers of `element`; `promoted` until an access turns up that SSA values cannot serve."""

    op: MakePtrOp
    element: Attribute
    count: int
    enclosure: int
    promoted: bool = True
    edges: set[int] = field(default_factory=set)
    parts: list[Part] = field(default_factory=list)
    _numbers: dict[int, int] = field(default_factory=dict)
    """Those of the parts, by where they begin."""
    _covers: dict[tuple[int, int], list[Part]] = field(default_factory=dict)

    def split(self) -> None:
        """Make the parts, as large as the accesses seen so far allow."""
        for start, stop in pairwise(sorted(self.edges)):
            count = stop - start
            self._numbers[start] = len(self.parts)
            self.parts.append(Part(start, count, self.element if count == 1 else vector_of(self.element, count)))

    def cover(self, start: int, count: int) -> list[Part]:
        """The parts that an access is made of, in order."""
        found = self._covers.get((start, count))
        if found is None:
            end = self._numbers.get(start + count, len(self.parts))
            found = self._covers[start, count] = self.parts[self._numbers[start] : end]
        return found


@dataclass(slots=True)
class RegisterAccesses:
    """What a walk over a function found."""

    allocations: dict[SSAValue, Allocation] = field(default_factory=dict)
    pointers: dict[SSAValue, tuple[Allocation, int]] = field(default_factory=dict)
    """Every pointer into an allocation, with its offset in elements."""
    written: dict[Operation, dict[Part, None]] = field(default_factory=dict)
    """Structured operation -> parts of outer allocations that are stored to inside, in order of appearance."""
    _stores: list[tuple[Operation, Allocation, int, int]] = field(default_factory=list)
    _enclosures: int = 0

    @classmethod
    def of(cls, function: Operation) -> RegisterAccesses:
        """Walk the function."""
        found = cls()
        found._region(function.regions[0], 0, ())
        for allocation in found.allocations.values():
            allocation.split()
        for parent, allocation, start, count in found._stores:
            if allocation.promoted:
                found.written[parent].update(dict.fromkeys(allocation.cover(start, count)))
        return found

    def place(self, pointer: SSAValue) -> tuple[Allocation, int] | None:
        """The promoted allocation that a pointer points into, and the offset."""
        found = self.pointers.get(pointer)
        return found if found is not None and found[0].promoted else None

    def _region(self, region: Region, enclosure: int, parents: tuple[Operation, ...]) -> None:
        """`enclosure` numbers what control flow is structured within: values cannot be threaded out of it."""
        for block in region.blocks:
            if len(region.blocks) > 1:
                self._enclosures += 1
                enclosure = self._enclosures
            for op in block.ops:
                self._visit(op, enclosure, parents)
                if not op.regions:
                    continue
                inner = enclosure
                if not isinstance(op, scf.IfOp | scf.ForOp | scf.WhileOp):
                    self._enclosures += 1
                    inner = self._enclosures
                self.written[op] = {}
                for nested in op.regions:
                    self._region(nested, inner, (*parents, op))

    def _visit(self, op: Operation, enclosure: int, parents: tuple[Operation, ...]) -> None:
        if type(op) is MakePtrOp:
            self._allocate(op, enclosure)
            return
        for index, operand in enumerate(operands_of(op)):
            found = self.pointers.get(operand)
            if found is None:
                continue
            allocation, offset = found
            if allocation.enclosure != enclosure or not self._use(op, index, allocation, offset, parents):
                allocation.promoted = False

    def _allocate(self, op: MakePtrOp, enclosure: int) -> None:
        type_ = op.results[0].type
        if not isinstance(type_, PointerType) or type_.space != REGISTER:
            return
        attributes = op.dict_attrs
        size = attributes.data.get("allocSize") if isinstance(attributes, DictionaryAttr) else None
        if not isinstance(size, IntegerAttr) or size.value.data <= 0:
            message = f"a register allocation needs a positive allocSize, found {attributes}"
            raise with_location(IRError(message), op)
        allocation = Allocation(op, storage_type(type_.element), size.value.data, enclosure)
        self.allocations[op.results[0]] = allocation
        self.pointers[op.results[0]] = (allocation, 0)

    def _use(
        self, op: Operation, index: int, allocation: Allocation, offset: int, parents: tuple[Operation, ...]
    ) -> bool:
        """Note a use of a pointer; False when SSA values cannot serve it."""
        kind = type(op)
        if kind is PtrLoadOp:
            return _access(op.results[0].type, allocation, offset) > 0
        if kind is PtrStoreOp and index == 1:
            count = _access(operands_of(op)[0].type, allocation, offset)
            for parent in parents:
                if not parent.is_ancestor(allocation.op):
                    self._stores.append((parent, allocation, offset, count))
            return count > 0
        if kind is AddOffsetOp and index == 0:
            moved = operands_of(op)[1].type
            if not isinstance(moved, IntTupleType) or type(moved.value) is not int:
                return False
            self.pointers[op.results[0]] = (allocation, offset + moved.value)
            return True
        if kind is scf.YieldOp and parents and isinstance(parents[-1], scf.ForOp | scf.WhileOp):
            _check_outlives(allocation, parents[-1])
        return kind is MakeViewOp and op.results[0].first_use is None


def _check_outlives(allocation: Allocation, loop: Operation) -> None:
    if loop.is_ancestor(allocation.op):
        message = (
            "a register tensor made inside of a loop cannot be carried to the next iteration: make it before the loop"
        )
        raise with_location(IRError(message), allocation.op)


def _access(type_: Attribute, allocation: Allocation, offset: int) -> int:
    """Note an access by this type; its number of elements, 0 when it is no run of whole elements of the allocation."""
    element, count = (type_.element_type, type_.element_count()) if type(type_) is VectorType else (type_, 1)
    if element != allocation.element and element_bits(element) != element_bits(allocation.element):
        return 0
    if offset < 0 or offset + count > allocation.count:
        return 0
    allocation.edges.update((offset, offset + count))
    return count
