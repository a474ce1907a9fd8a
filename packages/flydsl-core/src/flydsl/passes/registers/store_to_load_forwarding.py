"""Store-to-load forwarding for register memory: read once, written when somebody may look.

An unrolled matrix product reads each piece of its operands many times, and writes each sum as often as it adds to it.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import LocationAttr, VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from flydsl.ir.fly import AddOffsetOp, MakePtrOp, PtrLoadOp, PtrStoreOp
from flydsl.ir.fly.types import IntTupleType
from flydsl.passes.rewriting import create, insert_before, operands_of


@dataclass(eq=False, slots=True)
class _Run:
    """Registers that are read and written as one value; memory may have an older value."""

    root: SSAValue
    start: int
    type: Attribute
    pointer: SSAValue
    value: SSAValue
    written_at: LocationAttr | None = None
    """Where the program wrote it, if memory has an older value."""

    def is_of(self, start: int, type_: Attribute) -> bool:
        """Whether it begins at an element and is of a type."""
        return self.start == start and (self.type is type_ or self.type == type_)

    @property
    def elements(self) -> range:
        """Which elements of the allocation they are."""
        count = self.type.element_count() if isinstance(self.type, VectorType) else 1
        return range(self.start, self.start + count)


class StoreToLoadForwarding:
    """The runs of registers that are known at a point of a block."""

    def __init__(self) -> None:
        self._runs: dict[tuple[SSAValue, int], _Run] = {}  # by each of their elements
        self._places: dict[SSAValue, tuple[SSAValue, int] | None] = {}

    def load(self, pointer: SSAValue, type_: Attribute, at: Operation) -> SSAValue:
        """The value of the registers at `pointer`, read in front of `at` if it is not known."""
        place = self._place(pointer)
        if place is None:
            self.release(at)
            return _loaded(pointer, type_, at)
        run = self._runs.get(place)
        if run is None or not run.is_of(place[1], type_):
            run = _Run(*place, type_, pointer, pointer)
            self._forget(run, at)
            run.value = _loaded(pointer, type_, at)
            self._hold(run)
        return run.value

    def store(self, value: SSAValue, pointer: SSAValue, at: Operation) -> None:
        """Let the registers at `pointer` be `value`, which `at` gives."""
        place = self._place(pointer)
        if place is None:
            self.release(at)
            _stored(value, pointer, at, at.location)
            return
        run = self._runs.get(place)
        if run is None or not run.is_of(place[1], value.type):
            run = _Run(*place, value.type, pointer, value)
            self._forget(run, at)
            self._hold(run)
        run.value, run.pointer, run.written_at = value, pointer, at.location

    def release(self, at: Operation) -> None:
        """Write in front of `at` what memory has older values of, and forget everything."""
        for run in dict.fromkeys(self._runs.values()):
            _written(run, at)
        self._runs.clear()

    def _hold(self, run: _Run) -> None:
        for element in run.elements:
            self._runs[run.root, element] = run

    def _forget(self, run: _Run, at: Operation) -> None:
        """Write and forget what overlaps a run."""
        others = {other: None for element in run.elements if (other := self._runs.get((run.root, element)))}
        for other in others:
            _written(other, at)
            for element in other.elements:
                del self._runs[other.root, element]

    def _place(self, pointer: SSAValue) -> tuple[SSAValue, int] | None:
        """The allocation that a pointer leads into, and the element; None where that is not known."""
        place = self._places.get(pointer)
        if place is None:
            place = self._places[pointer] = self._found(pointer)
        return place

    def _found(self, pointer: SSAValue) -> tuple[SSAValue, int] | None:
        owner = pointer.owner
        if isinstance(owner, MakePtrOp):
            return pointer, 0
        if not isinstance(owner, AddOffsetOp):
            return None
        base, offset = operands_of(owner)
        place = self._place(base)
        moved = offset.type.value if isinstance(offset.type, IntTupleType) else None
        return (place[0], place[1] + moved) if place is not None and type(moved) is int else None


def _written(run: _Run, at: Operation) -> None:
    if run.written_at is not None:
        _stored(run.value, run.pointer, at, run.written_at)


def _loaded(pointer: SSAValue, type_: Attribute, at: Operation) -> SSAValue:
    load = create(PtrLoadOp, (pointer,), (type_,), location=at.location)
    insert_before(load, at)
    return load.results[0]


def _stored(value: SSAValue, pointer: SSAValue, at: Operation, location: LocationAttr) -> None:
    insert_before(create(PtrStoreOp, (value, pointer), location=location), at)
