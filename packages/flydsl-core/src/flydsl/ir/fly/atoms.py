"""Copy and MMA operations as types: the interface that tiling and lowering ask, and the universal operations.

A backend's atoms are subclasses of `CopyOpType` and `MmaOpType` in its own dialect; the layouts they return say which
thread touches which bit (copy) or which matrix element (MMA).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Self

from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

import flydsl.layout as fl
from flydsl.ir.fly.attributes import AtomicOp, AtomicOpAttr
from flydsl.ir.fly.base import FlyType, text_of
from flydsl.ir.fly.element import element_bits, element_type
from flydsl.ir.fly.reader import Reader

__all__ = [
    "CopyOpType",
    "MmaOpType",
    "OneThreadCopy",
    "UniversalAtomicType",
    "UniversalCopyType",
    "UniversalFMAType",
    "mma_body",
    "read_mma_body",
]

_ONE_THREAD = fl.Layout(1, 1)


@lru_cache(maxsize=256)
def _bits_of_one_thread(bits: int) -> fl.Layout:
    return fl.Layout((1, bits), (1, 1))


class CopyOpType(FlyType):
    """One copy instruction: who takes part, and which bits each thread reads and writes.

    TV layouts map (thread, bit) to the bit's place in the tile; `ref` is the numbering that tiled copies are given in.
    """

    fields: ClassVar[tuple[str, ...]] = ()
    """Names of the state that `atom.set_value` may set."""
    constant_fields: ClassVar[tuple[str, ...]] = ()
    """Those that are part of the instruction: their values are known while compiling."""
    from_memory_to_memory: ClassVar[bool] = False
    """True when neither side is in registers: tensors of one element then say only where the bits begin."""
    whole_tile: ClassVar[bool] = False
    """True when one call moves a whole tile whatever its layout, so that `copy` is not unrolled."""

    @property
    @abstractmethod
    def thr_layout(self) -> fl.Layout:
        """The threads that take part together."""

    @property
    @abstractmethod
    def src_tv_bits(self) -> fl.Layout:
        """(thread, bit) -> bit of the source."""

    @property
    @abstractmethod
    def dst_tv_bits(self) -> fl.Layout:
        """(thread, bit) -> bit of the destination."""

    @property
    def ref_tv_bits(self) -> fl.Layout:
        """(thread, bit) -> bit of the reference numbering; the source's unless the atom says otherwise."""
        return self.src_tv_bits


class OneThreadCopy(CopyOpType):
    """Copies in which one thread moves `bits` consecutive bits."""

    bits: int

    @property
    def thr_layout(self) -> fl.Layout:
        return _ONE_THREAD

    @property
    def src_tv_bits(self) -> fl.Layout:
        return _bits_of_one_thread(self.bits)

    @property
    def dst_tv_bits(self) -> fl.Layout:
        return self.src_tv_bits


class MmaOpType(FlyType):
    """One matrix multiply-add instruction `d = a * b + c` of M x N x K elements.

    TV layouts map (thread, value) to the column-major position in (M, K) for a, (N, K) for b and (M, N) for c and d.
    """

    fields: ClassVar[tuple[str, ...]] = ()
    """Names of the state that `atom.set_value` may set."""

    @property
    def memory_operands(self) -> frozenset[str]:
        """Those of "a", "b", "c" and "d" that the instruction itself accesses in memory: their tensors stay there.

        Where the threads of an atom share such a tensor, as they do of "a" and "b", all of them hold the whole of it:
        `(threads, values)` with thread stride 0. Accumulators in memory are both "c" and "d".
        """
        return frozenset()

    @property
    @abstractmethod
    def thr_layout(self) -> fl.Layout:
        """The threads that take part together."""

    @property
    @abstractmethod
    def shape_mnk(self) -> tuple[int, int, int]:
        """Extents M, N, K."""

    @property
    @abstractmethod
    def value_types(self) -> tuple[Attribute, Attribute, Attribute, Attribute]:
        """Element types of a, b, c and d."""

    @property
    @abstractmethod
    def tv_layouts(self) -> tuple[fl.Layout, fl.Layout, fl.Layout]:
        """TV layouts of a, b and c (d has that of c)."""


@dataclass(frozen=True, eq=False, repr=False)
class UniversalCopyType(OneThreadCopy):
    """`!fly.universal_copy<128>`: one thread moves `bits` bits with ordinary loads and stores."""

    name: ClassVar[str] = "fly.universal_copy"
    bits: int

    @classmethod
    def get(cls, bit_size: int) -> Self:
        """The copy of `bit_size` bits by one thread."""
        return cls(bit_size)

    def verify(self) -> None:
        if self.bits <= 0:
            raise VerifyException(f"a copy moves at least one bit, found {self.bits!r}")

    def body(self) -> str:
        return str(self.bits)

    @classmethod
    def read(cls, reader: Reader) -> Self:
        return cls(reader.integer("the number of bits"))


@dataclass(frozen=True, eq=False, repr=False)
class UniversalAtomicType(OneThreadCopy):
    """`!fly.universal_atomic<max, i32, "agent">`: destination = op(destination, source), atomically in `scope`."""

    name: ClassVar[str] = "fly.universal_atomic"
    op: AtomicOpAttr
    value_type: Attribute
    scope: str = ""

    @property
    def bits(self) -> int:  # type: ignore[override]
        """Width of the value."""
        return element_bits(self.value_type)

    @classmethod
    def get(cls, atomic_op: object, val_type: object, syncscope: object = "") -> Self:
        """The atomic `atomic_op` (an `AtomicOp` or its name) of values of `val_type`."""
        name = str(getattr(atomic_op, "name", atomic_op)).lower()
        scope = str(getattr(syncscope, "value", syncscope))
        return cls(AtomicOpAttr(AtomicOp(name)), element_type(val_type), scope)

    def verify(self) -> None:
        element_bits(self.value_type)

    def body(self) -> str:
        scope = f', "{self.scope}"' if self.scope else ""
        return f"{self.op.data.value}, {text_of(self.value_type)}{scope}"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        word = reader.word("an atomic operation")
        if word not in list(AtomicOp):
            reader.error(f"unknown atomic operation {word!r}: choose from {', '.join(AtomicOp)}", reader.token)
        reader.expect(",")
        value_type = reader.attribute()
        return cls(AtomicOpAttr(AtomicOp(word)), value_type, reader.string() if reader.accept(",") else "")


@dataclass(frozen=True, eq=False, repr=False)
class UniversalFMAType(MmaOpType):
    """`!fly.universal_fma<1x1x1, (f32, f32) -> f32>`: one thread, one multiply-add."""

    name: ClassVar[str] = "fly.universal_fma"
    element: Attribute

    @classmethod
    def get(cls, elem_ty: object) -> Self:
        """The multiply-add of one element."""
        return cls(element_type(elem_ty))

    @property
    def elem_ty(self) -> Attribute:
        """The MLIR type of the elements."""
        return self.element

    def verify(self) -> None:
        element_bits(self.element)

    def body(self) -> str:
        return mma_body((1, 1, 1), (self.element, self.element, self.element))

    @classmethod
    def read(cls, reader: Reader) -> Self:
        shape, (a, b, c) = read_mma_body(reader)
        if shape != (1, 1, 1) or not a == b == c:
            reader.error(f"universal_fma is 1x1x1 of one type, found {mma_body(shape, (a, b, c))!r}")
        return cls(a)

    @property
    def thr_layout(self) -> fl.Layout:
        return _ONE_THREAD

    @property
    def shape_mnk(self) -> tuple[int, int, int]:
        return (1, 1, 1)

    @property
    def value_types(self) -> tuple[Attribute, Attribute, Attribute, Attribute]:
        return (self.element,) * 4

    @property
    def tv_layouts(self) -> tuple[fl.Layout, fl.Layout, fl.Layout]:
        return (fl.Layout((1, 1), (1, 1)),) * 3


def mma_body(shape: tuple[int, int, int], types: tuple[Attribute, Attribute, Attribute]) -> str:
    """`MxNxK, (A, B) -> Acc`, the common start of MMA types."""
    a, b, acc = map(text_of, types)
    return f"{'x'.join(map(str, shape))}, ({a}, {b}) -> {acc}"


def read_mma_body(reader: Reader) -> tuple[tuple[int, int, int], tuple[Attribute, Attribute, Attribute]]:
    """Read what `mma_body` prints."""
    m = reader.integer("M of MxNxK")
    reader.expect("x")
    n = reader.integer("N of MxNxK")
    reader.expect("x")
    k = reader.integer("K of MxNxK")
    for text in (",", "("):
        reader.expect(text)
    a = reader.attribute()
    reader.expect(",")
    b = reader.attribute()
    reader.expect(")")
    reader.expect("->")
    return (m, n, k), (a, b, reader.attribute())
