"""Canonicalisation of mixed IR: constant folding, dead code elimination and CSE.

A linear stand-in for upstream's `canonicalize` and `cse` on modules that still hold Fly operations: one forward walk
folds and shares, one backward walk erases what nobody uses.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import pack
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith, llvm, scf
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, ModuleOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import IsolatedFromAbove

from flydsl.base.arithmetic import wrapped
from flydsl.ir.effects import is_erasable, is_pure
from flydsl.passes.folding.aggregates import extracted
from flydsl.passes.folding.arithmetic import FOLDED, fold, width_of
from flydsl.passes.folding.control import drop_invariant_arguments, inline_decided_if
from flydsl.passes.rewriting import create, detach, erase, insert_before, operands_of, replace

_FOLDED = FOLDED | {llvm.ExtractValueOp}


@dataclass(frozen=True)
class Canonicalize(ModulePass):
    """Fold, share and erase."""

    name: ClassVar[str] = "canonicalize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        _Simplifier(folding=True).region(op.body)
        erase_dead(op.body)


@dataclass(frozen=True)
class CommonSubexpressions(ModulePass):
    """Share equal pure operations and erase unused ones."""

    name: ClassVar[str] = "cse"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        _Simplifier(folding=False).region(op.body)
        erase_dead(op.body)


def erase_dead(region: Region) -> None:
    """Erase operations without effect whose results have no use, also inside nested regions."""
    for block in region.blocks:
        following = block._last_op
        while (op := following) is not None:
            following = op._prev_op
            for inner in op.regions:
                erase_dead(inner)
            if not op.results and not op.regions:
                continue  # acts, as it is of no other use
            for result in op.results:
                if result.first_use is not None:
                    break
            else:
                if is_erasable(op):
                    erase(op)


class _Simplifier:
    """Walks forward; what is known holds in the region it was found in and in those nested there."""

    def __init__(self, folding: bool) -> None:
        self.folding = folding
        self.entry: Block | None = None
        self.numbers: dict[SSAValue, int] = {}
        self.constants: dict[tuple[object, ...], SSAValue] = {}
        self.seen: dict[tuple[object, ...], Operation] = {}
        self.attributes = _Numbers()

    def region(self, region: Region) -> None:
        added: list[tuple[object, ...]] = []
        for block in region.blocks:
            self.entry = self.entry or block
            op = block._first_op
            while op is not None:
                following = op._next_op
                self.visit(op, added)
                op = following
            if len(region.blocks) > 1:  # a block does not dominate the next one in general
                self.forget(added)
        self.forget(added)

    def forget(self, added: list[tuple[object, ...]]) -> None:
        for key in added:
            del self.seen[key]
        added.clear()

    def visit(self, op: Operation, added: list[tuple[object, ...]]) -> None:
        kind = type(op)
        if kind is arith.ConstantOp:
            self.constant(op)
            return
        if self.folding and kind in _FOLDED and op.results:
            result = fold(op, operands_of(op), self.numbers.get)
            if result is None:
                result = extracted(op)
            if result is not None:
                replace(op, [self.number(result, op) if isinstance(result, int) else result])
                return
        if op.regions:
            self.nested(op, added)
        elif op.results and is_pure(op):
            self.share(op, added)

    def nested(self, op: Operation, added: list[tuple[object, ...]]) -> None:
        if op.has_trait(IsolatedFromAbove):
            inner = _Simplifier(self.folding)
            for region in op.regions:
                inner.region(region)
            return
        if self.folding and isinstance(op, scf.IfOp) and (condition := self.numbers.get(op.cond)) is not None:
            for moved in inline_decided_if(op, bool(condition)):
                self.visit(moved, added)
            return
        for region in op.regions:
            self.region(region)
        if self.folding and isinstance(op, scf.ForOp):
            drop_invariant_arguments(op)

    def constant(self, op: Operation) -> None:
        value = op.properties.get("value")
        if not isinstance(value, IntegerAttr | FloatAttr):
            return
        key = self.constant_key(value)
        known = self.constants.get(key)
        if known is not None:
            replace(op, [known])
            return
        self.constants[key] = op.results[0]
        if isinstance(value, IntegerAttr):
            self.numbers[op.results[0]] = wrapped(value.value.data, width_of(value.type))
        assert self.entry is not None
        if op.parent is not self.entry:
            first = self.entry.first_op
            assert first is not None
            detach(op)
            insert_before(op, first)

    def number(self, value: int, at: Operation) -> SSAValue:
        type_ = at.results[0].type
        key = (self.attributes.of(type_), value)
        if key not in self.constants:
            attribute = IntegerAttr(value, type_)  # type: ignore[call-overload]
            op = create(arith.ConstantOp, (), (attribute.type,), properties={"value": attribute}, location=at.location)
            assert self.entry is not None
            assert self.entry.first_op is not None
            insert_before(op, self.entry.first_op)
            self.constants[key] = op.results[0]
            self.numbers[op.results[0]] = value
        return self.constants[key]

    def constant_key(self, value: IntegerAttr | FloatAttr[AnyFloat]) -> tuple[object, ...]:
        """What equal constants have in common."""
        if isinstance(value, IntegerAttr):
            return self.attributes.of(value.type), value.value.data
        return self.attributes.of(value.type), pack("<d", value.value.data)  # 0.0 and -0.0 are two, and so are NaN

    def share(self, op: Operation, added: list[tuple[object, ...]]) -> None:
        key = self.key(op)
        other = self.seen.setdefault(key, op)
        if other is op:
            added.append(key)
        else:
            replace(op, other.results)

    def key(self, op: Operation) -> tuple[object, ...]:
        """What equal operations have in common: equal keys mean equal results."""
        number = self.attributes.of
        parts: list[object] = [type(op), *operands_of(op)]
        for result in op.results:
            parts.append(number(result._type))
        for attributes in (op.properties, op.attributes):
            parts.append(None)
            if attributes:
                for name, attribute in attributes.items() if len(attributes) < 2 else sorted(attributes.items()):
                    parts.append(name)
                    parts.append(number(attribute))
        return tuple(parts)


class _Numbers:
    """A number for each attribute, the same for equal ones: most are shared, and seen by their identity."""

    def __init__(self) -> None:
        self._by_value: dict[Attribute, int] = {}
        self._by_identity: dict[int, tuple[Attribute, int]] = {}

    def of(self, attribute: Attribute) -> int:
        found = self._by_identity.get(id(attribute))
        if found is None:
            number = self._by_value.setdefault(attribute, len(self._by_value))
            found = self._by_identity[id(attribute)] = (attribute, number)
        return found[1]
