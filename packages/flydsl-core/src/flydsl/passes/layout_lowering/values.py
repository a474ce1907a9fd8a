"""Leaves of the layout algebra as `arith` operations, emitted at their first use.

A `Node` is a dynamic leaf that stands for an SSA value or for an operation not yet emitted. Equal nodes are one node
within the region where they were made, so the emitted code repeats nothing, and what no surviving operation needs is
never emitted.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i1, i32, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from flydsl.layout import Basis, Dyn, Swizzle
from flydsl.passes.rewriting import create, insert_before

if TYPE_CHECKING:
    from typing import Self

_MAX_PENDING = 100
"""Longest chain of operations kept back: emission recurses along it."""
_TYPES = {1: i1, 32: i32, 64: i64}
_BINARY: dict[str, type[Operation]] = {
    "add": arith.AddiOp,
    "sub": arith.SubiOp,
    "mul": arith.MuliOp,
    "div": arith.DivSIOp,
    "mod": arith.RemSIOp,
    "ceil_div": arith.CeilDivSIOp,
    "min": arith.MinSIOp,
    "max": arith.MaxSIOp,
    "xor": arith.XOrIOp,
    "and": arith.AndIOp,
}
_PREDICATES = {"equal": IntegerAttr(0, i64), "less": IntegerAttr(2, i64)}
_COMMUTATIVE = frozenset({"add", "mul", "min", "max", "xor", "and", "equal"})
_EXACT: dict[str, Attribute] = {"overflowFlags": arith.IntegerOverflowAttr([arith.IntegerOverflowFlag.NSW])}
"""Of exact sums and products: layouts of 32-bit leaves are promised to fit (see `flydsl.layout.width`)."""
_REASSOCIATED = {"add": lambda a, b: a + b, "mul": lambda a, b: a * b}


class Node(Dyn):
    """A dynamic leaf with its SSA value, or with the operation that will give it."""

    __slots__ = ("a", "anchor", "b", "depth", "emitter", "op", "ssa", "wide")
    a: Any
    anchor: Operation
    b: Any
    depth: int
    emitter: LazyArithBuilder
    op: str
    ssa: SSAValue | None
    wide: SSAValue | None
    __setattr__ = object.__setattr__  # type: ignore[assignment]

    def __new__(cls, width: int, div: int) -> Self:
        self = object.__new__(cls)
        self.width = width
        self.div = div
        return self

    def make(self, op: str, a: object, b: object, width: int, div: int) -> Dyn:
        return self.emitter.node(op, a, b, width, div)

    def __reduce__(self) -> tuple[type[Dyn], tuple[int, int]]:
        return Dyn, (self.width, self.div)


class LazyArithBuilder:
    """Makes the nodes of one function and emits them in front of the operation they were made for.

    With `exact`, sums and products in 32 bits say that they do not wrap around.
    """

    def __init__(self, entry: Block, *, exact: bool = False) -> None:
        first = entry.first_op
        assert first is not None
        self.first = first
        self.anchor: Operation = first
        self.exact = exact
        self.constants: dict[tuple[int, int], SSAValue] = {}
        self.known: dict[Any, Any] = {}
        self._added: list[Any] = []

    @contextmanager
    def scope(self) -> Iterator[None]:
        """What is made inside is not found outside: for a region, whose values do not dominate what follows."""
        outer, self._added = self._added, []
        try:
            yield
        finally:
            for key in self._added:
                del self.known[key]
            self._added = outer

    def remember(self, key: Any, value: Any) -> None:
        """Let `known` hold `value` until the current scope ends."""
        self.known[key] = value
        self._added.append(key)

    def wrap(self, ssa: SSAValue, div: int = 1) -> Node:
        """The leaf of an integer SSA value that `div` divides."""
        key = (ssa, div)
        found = self.known.get(key)
        if found is None:
            assert isinstance(ssa.type, IntegerType)
            found = Node(ssa.type.width.data, div)
            found.emitter, found.op, found.ssa, found.depth = self, "value", ssa, 0
            found.anchor, found.wide = self.anchor, None
            self.remember(key, found)
        return found

    def node(self, op: str, a: Any, b: Any, width: int, div: int) -> Node:
        """The leaf of `op` on two leaves; nothing is emitted yet."""
        if type(a) is int and op in _COMMUTATIVE:
            a, b = b, a
        if type(b) is int and op in _REASSOCIATED and type(a) is Node and a.op == op and type(a.b) is int:
            folded = _REASSOCIATED[op](a.b, b)
            if a.width == width == _width(a.a) and -(1 << (width - 1)) <= folded < 1 << (width - 1):
                if op == "add" and folded == 0:
                    return a.a  # type: ignore[no-any-return]
                a, b = a.a, folded
        key = (op, a, b, width, div)
        found: Node | None = self.known.get(key)
        if found is None:
            found = Node(width, div)
            found.emitter, found.op, found.a, found.b = self, op, a, b
            found.anchor, found.ssa, found.wide = self.anchor, None, None
            found.depth = 1 + max(getattr(a, "depth", 0), getattr(b, "depth", 0))
            self.remember(key, found)
            if found.depth > _MAX_PENDING:
                self.value(found)
        return found

    def value(self, leaf: Any, width: int = 0) -> SSAValue:
        """The SSA value of an integer or node, widened to `width` bits when that is more."""
        if type(leaf) is not Node:
            return self.constant(int(leaf), width or 32)
        if leaf.ssa is None:
            leaf.ssa = self._emit(leaf)
            leaf.depth = 0
        if width <= leaf.width:
            return leaf.ssa
        if leaf.wide is None:
            widened = create(arith.ExtSIOp, (leaf.ssa,), (_TYPES[width],))
            leaf.wide = self._insert_at(leaf, widened)
        return leaf.wide

    def constant(self, value: int, width: int) -> SSAValue:
        """A constant, emitted once at the start of the function."""
        key = (value, width)
        found = self.constants.get(key)
        if found is None:
            type_ = _TYPES[width]
            op = create(arith.ConstantOp, (), (type_,), properties={"value": IntegerAttr(value, type_)})
            insert_before(op, self.first)
            found = self.constants[key] = op.results[0]
        return found

    def insert(self, op: Operation) -> Operation:
        """Insert an operation that has an effect or a Fly result at the current place."""
        op.location = self.anchor.location
        insert_before(op, self.anchor)
        return op

    def _emit(self, node: Node) -> SSAValue:
        op, a, b = node.op, node.a, node.b
        if op in _PREDICATES:
            width = max(_width(a), _width(b))
            operands = [self.value(a, width), self.value(b, width)]
            made: Operation = create(arith.CmpiOp, operands, (i1,), properties={"predicate": _PREDICATES[op]})
        elif op == "swizzle":
            return self._swizzle(node, b)
        elif op == "extend":
            return self.value(a, node.width)
        else:
            width = node.width
            exact = self.exact and width == 32 and op in _REASSOCIATED
            made = _binary(op, self.value(a, width), self.value(b, width), _TYPES[width], exact=exact)
        return self._insert_at(node, made)

    def _swizzle(self, node: Node, spec: Swizzle) -> SSAValue:
        """x ^ ((x & source bits) >> shift), the form `fly-int-swizzle-simplify` looks for."""
        width, type_, value = node.width, _TYPES[node.width], self.value(node.a, node.width)
        bits = ((1 << spec.mask) - 1) << (spec.base + spec.shift)
        masked = self._insert_at(node, _binary("and", value, self.constant(bits, width), type_))
        shift = create(arith.ShRUIOp, (masked, self.constant(spec.shift, width)), (type_,))
        return self._insert_at(node, _binary("xor", value, self._insert_at(node, shift), type_))

    def _insert_at(self, node: Node, op: Operation) -> SSAValue:
        op.location = node.anchor.location
        insert_before(op, node.anchor)
        return op.results[0]


def plain(leaf: Any) -> Any:
    """The leaf as it stands in a type: without its value."""
    if type(leaf) is Node:
        return Dyn(leaf.width, leaf.div)
    if type(leaf) is Basis and type(leaf.value) is Node:
        return Basis(Dyn(leaf.value.width, leaf.value.div), leaf.path)
    return leaf


def _binary(op: str, a: SSAValue, b: SSAValue, type_: Attribute, *, exact: bool = False) -> Operation:
    return create(_BINARY[op], (a, b), (type_,), properties=_EXACT if exact else {})


def _width(leaf: Any) -> int:
    if type(leaf) is Node:
        return leaf.width
    return 32 if -(1 << 31) <= leaf < 1 << 31 else 64
