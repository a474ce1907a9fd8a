"""Fast construction of operations at an insertion point, without checks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar

from xdsl.dialects.builtin import UNKNOWN_LOC, LocationAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from flydsl.base.location import Location
from flydsl.ir import edits
from flydsl.ir.fly.infer import infer_results
from flydsl.ir.location import from_attribute, to_attribute

OpT = TypeVar("OpT", bound=Operation)
_NOTHING: Mapping[str, Attribute] = {}


class Builder:
    """Creates operations at the end of a block or before an operation, and moves between such points.

    Nothing is verified here: what is built is checked by `verify` when asked for.
    """

    __slots__ = ("_anchor", "_block", "_location", "_stack")

    def __init__(self, block: Block, before: Operation | None = None) -> None:
        self._block = block
        self._anchor = before
        self._location: LocationAttr = UNKNOWN_LOC
        self._stack: list[tuple[Block, Operation | None]] = []

    @property
    def block(self) -> Block:
        """The block that operations go into."""
        return self._block

    @property
    def before(self) -> Operation | None:
        """The operation that new ones are put before; None at the end of the block."""
        return self._anchor

    @property
    def depth(self) -> int:
        """How many places wait for a `pop`."""
        return len(self._stack)

    @property
    def location(self) -> Location | None:
        """The source position that new operations carry."""
        return from_attribute(self._location)

    @location.setter
    def location(self, location: Location | None) -> None:
        self._location = to_attribute(location)

    def push(self, block: Block, before: Operation | None = None) -> None:
        """Continue in another place until `pop`."""
        self._stack.append((self._block, self._anchor))
        self._block, self._anchor = block, before

    def pop(self) -> None:
        """Return to the place before the last `push`."""
        self._block, self._anchor = self._stack.pop()

    @contextmanager
    def at(self, block: Block, before: Operation | None = None) -> Iterator[Builder]:
        """Build in another place inside a `with`."""
        self.push(block, before)
        try:
            yield self
        finally:
            self.pop()

    def insert(self, op: OpT) -> OpT:
        """Put an operation at the insertion point."""
        if self._anchor is None:
            edits.append(self._block, op)
        else:
            edits.insert_before(op, self._anchor)
        return op

    def create(
        self,
        op_class: type[OpT],
        operands: Sequence[SSAValue] = (),
        result_types: Sequence[Attribute] = (),
        attributes: Mapping[str, Attribute] | None = None,
        regions: Sequence[Region] = (),
        properties: Mapping[str, Attribute] | None = None,
        successors: Sequence[Block] = (),
    ) -> OpT:
        """A new operation at the insertion point."""
        op = edits.create(
            op_class,
            operands,
            result_types,
            attributes or _NOTHING,
            properties or _NOTHING,
            self._location,
            regions,
            successors,
        )
        if self._anchor is None:
            edits.append(self._block, op)
        else:
            edits.insert_before(op, self._anchor)
        return op

    def infer(
        self, op_class: type[OpT], operands: Sequence[SSAValue] = (), attributes: Mapping[str, Attribute] | None = None
    ) -> OpT:
        """A new Fly operation with inferred result types."""
        types = infer_results(op_class.name, [operand.type for operand in operands], attributes)
        return self.create(op_class, operands, types, attributes)
