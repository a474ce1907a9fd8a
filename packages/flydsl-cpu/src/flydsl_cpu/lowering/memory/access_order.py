"""Whether LLVM's vectoriser may move accesses of one thread past each other, as it does in loops marked parallel.

The mark says that iterations are independent. `LoopVectorize` then looks for no dependences at all, and so for none
within an iteration. It keeps the order of accesses but for one thing: accesses a constant stride of 2 to 8 elements
apart from iteration to iteration form interleave groups (`InterleavedAccessInfo`), whose loads move up to the first of
the group and whose stores move down to the last. A load that moves up may pass a store in front of it, and a store that
moves down any access behind it; nothing passes in the other direction.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from xdsl.dialects import llvm
from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from flydsl.backend.ir import element_bits
from flydsl.backend.rewriting import operations
from flydsl_cpu.lowering.analysis.address_sums import AddressSums, Sum, are_disjoint
from flydsl_cpu.lowering.analysis.linear_forms import LinearForms
from flydsl_cpu.lowering.memory.accesses import ACCESSES
from flydsl_cpu.lowering.memory.memory_objects import MemoryObjects, Overlap

_MOST_ACCESSES = 400
"""Of a body; no loop of more is worth the comparisons, nor vectorised."""
_MOST_GROUPED = 8
"""Elements between iterations beyond which LLVM makes no groups: its option `max-interleave-group-factor`."""


class Access(NamedTuple):
    """A load or store, what it touches, and where the vectoriser might move it."""

    op: llvm.LoadOp | llvm.StoreOp
    base: SSAValue
    address: Sum
    size: int
    groups: frozenset[int]
    """The loops of the nest, by their digits, in which it may become part of a group."""
    loop: Operation | None
    """The outermost loop of the body that it is in, which runs it several times."""
    branches: frozenset[Region]
    """The regions around it."""

    @property
    def is_store(self) -> bool:
        """Whether it writes."""
        return isinstance(self.op, llvm.StoreOp)


class AccessOrder:
    """In which loops over threads the order of accesses matters; `forms` are those of the body."""

    def __init__(self, body: Block, forms: LinearForms, objects: MemoryObjects) -> None:
        self._objects, self._forms = objects, forms
        self._blocked: set[int] = set()
        self._blocked_by_arguments: set[int] = set()
        self.pairs: dict[tuple[SSAValue, SSAValue], None] = {}  # in order: what depends on it is code
        """Arguments that must not overlap for `parallel_when_apart`."""
        self.accesses: list[Access] = []
        """What was compared: nothing where nothing is stored, or too much is accessed."""
        found = [op for op in operations(body, ACCESSES) if not self._is_private(op)]
        if not any(isinstance(op, llvm.StoreOp) for op in found):
            return
        if len(found) > _MOST_ACCESSES:
            self._blocked.update(self._loops)
            return
        sums = AddressSums()
        self.accesses = [self._access(op, body, sums) for op in found]
        for store, other in _ordered(self.accesses):
            self._compare(store, other)

    @property
    def parallel(self) -> frozenset[int]:
        """The loops, by their digits, in which nothing that matters can move, whatever a launch is given."""
        return self.parallel_when_apart - self._blocked_by_arguments

    @property
    def parallel_when_apart(self) -> frozenset[int]:
        """Those in which nothing can when the memory of no two `pairs` overlaps."""
        return self._loops - self._blocked

    @property
    def depends_on_arguments(self) -> bool:
        """Whether knowing that they do not overlap would make the innermost loop parallel."""
        return 0 in self.parallel_when_apart - self.parallel

    @property
    def _loops(self) -> frozenset[int]:
        return frozenset(range(len(self._forms.digits)))

    def _is_private(self, op: Operation) -> bool:
        """Whether it is no part of what is marked: LLVM keeps such memory in registers, or the loop is not parallel."""
        return isinstance(self._objects.base(op.operands[-1]).owner, llvm.AllocaOp)

    def _access(self, op: Operation, body: Block, sums: AddressSums) -> Access:
        assert isinstance(op, llvm.LoadOp | llvm.StoreOp)
        type_ = op.results[0].type if isinstance(op, llvm.LoadOp) else op.value.type
        size = element_bits(type_) // 8
        return Access(
            op, self._objects.base(op.ptr), sums.of(op.ptr), size, self._groups(op.ptr, type_), *_surroundings(op, body)
        )

    def _groups(self, address: SSAValue, type_: Attribute) -> frozenset[int]:
        form = self._forms.of(address)
        element = element_bits(type_.element_type if isinstance(type_, VectorType) else type_) // 8
        strided = (d for d, c in form.coefficients.items() if element < abs(c) <= _MOST_GROUPED * element)
        return form.unknown.union(strided)

    def _compare(self, store: Access, other: Access) -> None:
        levels = store.groups if other.is_store else store.groups | other.groups
        if levels <= self._blocked:
            return
        overlap = self._objects.overlap(store.base, other.base)
        if overlap is Overlap.ARGUMENTS:
            self.pairs[store.base, other.base] = None
            self._blocked_by_arguments |= levels
        elif overlap is Overlap.UNKNOWN or (overlap is Overlap.SAME and not _are_apart(store, other)):
            self._blocked |= levels


def _ordered(accesses: list[Access]) -> Iterator[tuple[Access, Access]]:
    """Each store with each access that the same thread may make after it."""
    stores: list[Access] = []
    for access in accesses:
        yield from ((store, access) for store in stores if not _are_alternatives(store, access))
        if access.is_store:
            stores.append(access)
            if access.loop is not None:
                yield access, access
        elif access.loop is not None:  # in the next turn of the loop
            yield from ((store, access) for store in accesses if store.is_store and store.loop is access.loop)


def _are_alternatives(a: Access, b: Access) -> bool:
    """Whether a thread makes one of two accesses only: they are in different branches."""
    if a.branches == b.branches or _are_repeated(a, b):
        return False
    theirs = {region.parent_op() for region in b.branches - a.branches}
    return any(region.parent_op() in theirs for region in a.branches - b.branches)


def _are_repeated(a: Access, b: Access) -> bool:
    return a.loop is not None and a.loop is b.loop


def _are_apart(a: Access, b: Access) -> bool:
    return not _are_repeated(a, b) and are_disjoint(a.address, a.size, b.address, b.size)


def _surroundings(op: Operation, body: Block) -> tuple[Operation | None, frozenset[Region]]:
    """The outermost loop in `body` around an operation, and the regions around it."""
    loop, regions = None, []
    block = op.parent
    while block is not body:
        assert block is not None
        region = block.parent
        parent = block.parent_op()
        assert region is not None
        assert parent is not None
        regions.append(region)
        loop = loop if parent.name == "scf.if" else parent
        block = parent.parent
    return loop, frozenset(regions)
