"""A backend's description of its target for the common lowering: memory spaces, atoms and operations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from xdsl.ir import Attribute, Operation, SSAValue

from flydsl.ir.fly import MakePtrOp
from flydsl.ir.fly.atoms import CopyOpType, MmaOpType
from flydsl.ir.fly.types import PointerType
from flydsl.layout import AnyLayout

if TYPE_CHECKING:
    from flydsl.backend.conversion.conversion import Conversion
    from flydsl.passes.to_llvm.builder import LLVMBuilder


class MemorySpace(ABC):
    """How pointers into one address space are represented, moved and accessed; stateless."""

    @abstractmethod
    def llvm_type(self, type_: PointerType) -> Attribute:
        """The type of a pointer of this space."""

    @abstractmethod
    def make(self, conversion: Conversion, op: MakePtrOp, type_: PointerType) -> SSAValue:
        """What `fly.make_ptr` makes: an allocation or a target-specific pointer."""

    @abstractmethod
    def add_offset(self, build: LLVMBuilder, pointer: SSAValue, type_: PointerType, offset: int | SSAValue) -> SSAValue:
        """`pointer` moved by `offset` elements."""

    @abstractmethod
    def load(self, build: LLVMBuilder, pointer: SSAValue, type_: PointerType, value_type: Attribute) -> SSAValue:
        """Read a scalar or vector."""

    @abstractmethod
    def store(self, build: LLVMBuilder, value: SSAValue, pointer: SSAValue, type_: PointerType) -> None:
        """Write a scalar or vector."""

    @abstractmethod
    def address(self, build: LLVMBuilder, pointer: SSAValue, type_: PointerType) -> SSAValue:
        """The `!llvm.ptr` of the next access, with the pointer's swizzle applied."""


@dataclass(frozen=True, slots=True)
class Memory:
    """An operand of an atom call that is in memory: a lowered pointer, its Fly type and its space."""

    pointer: SSAValue
    type: PointerType
    space: MemorySpace
    layout: AnyLayout | None = None
    """That of a tensor; None for a pointer."""

    def load(self, build: LLVMBuilder, value_type: Attribute) -> SSAValue:
        """Read `value_type` from here."""
        return self.space.load(build, self.pointer, self.type, value_type)

    def store(self, build: LLVMBuilder, value: SSAValue) -> None:
        """Write `value` here."""
        self.space.store(build, value, self.pointer, self.type)

    def address(self, build: LLVMBuilder) -> SSAValue:
        """The address of the access as `!llvm.ptr`."""
        return self.space.address(build, self.pointer, self.type)


@dataclass(frozen=True, slots=True)
class CopyCall:
    """One call of a copy atom, without its predicate: the handler moves `src` to `dst`, or returns the value of
    `result`.
    """

    op: Operation
    build: LLVMBuilder
    atom: Any
    """The copy operation's type, an instance of the class that the handler is registered for."""
    val_bits: int
    state: Mapping[str, SSAValue]
    src: Memory | SSAValue
    dst: Memory | None
    result: Attribute | None


@dataclass(frozen=True, slots=True)
class MmaCall:
    """One call of an MMA atom on values; the handler returns d, or writes it where the atom has it in memory.

    `memory` has the operands that the instruction itself accesses, by name; a, b and c of these are the pointers.
    """

    op: Operation
    build: LLVMBuilder
    atom: Any
    state: Mapping[str, SSAValue]
    a: SSAValue
    b: SSAValue
    c: SSAValue
    result: Attribute
    memory: Mapping[str, Memory] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AtomField:
    """One field of an atom's run-time state."""

    name: str
    type: Attribute
    default: int = 0
    is_exact: bool = False
    """Whether a value must have the field's width: other integers are extended or truncated."""


CopyHandler = Callable[["Conversion", CopyCall], SSAValue | None]
"""Emits a call of a copy atom: the value that is read, or None where memory was written."""
MmaHandler = Callable[["Conversion", MmaCall], SSAValue | None]
"""Emits a call of an MMA atom and gives d, or None where it is written to `memory["d"]`."""
OperandTypes = Callable[[Any], tuple[Attribute, Attribute, Attribute]]
"""Of an MMA operation, the types as which a, b and c are read from memory."""
AtomState = tuple[AtomField, ...] | Callable[[Any], tuple[AtomField, ...]]
"""The run-time fields of an atom, or what tells them of an operation."""
OperationHandler = Callable[["Conversion", Any], None]
"""Emits what takes the place of an operation of the target's own."""


@dataclass(frozen=True, slots=True)
class LoweringTarget:
    """Everything `Conversion` needs to know of a backend; the universal atoms are always there."""

    name: str
    spaces: Mapping[Attribute, MemorySpace]
    copies: Mapping[type[CopyOpType], CopyHandler] = field(default_factory=dict)
    mmas: Mapping[type[MmaOpType], MmaHandler] = field(default_factory=dict)
    mma_operands: Mapping[type[MmaOpType], OperandTypes] = field(default_factory=dict)
    """Of an MMA operation, the types as which a, b and c are read from memory: vectors of its elements by default."""
    states: Mapping[type[Attribute], AtomState] = field(default_factory=dict)
    """Run-time fields of the stateful atoms, in the order of their struct: of a class, or of each of its operations."""
    operations: Mapping[type[Operation], OperationHandler] = field(default_factory=dict)
    """Lowerings of the target's own operations, and of upstream ones that need help (narrow float casts)."""
    sync_scopes: Mapping[str, str] = field(default_factory=dict)
    """LLVM's names of synchronisation scopes, where they are not those of the atoms; an empty one is the whole system.
    """
    keeps_nan_signs: bool = True
    """Whether a NaN that is widened, or a double one that is narrowed to f32, has the sign that it had."""

    def state_of(self, op: Attribute) -> tuple[AtomField, ...]:
        """The run-time fields of a copy or MMA operation."""
        fields = self.states.get(type(op), ())
        return fields if isinstance(fields, tuple) else fields(op)
