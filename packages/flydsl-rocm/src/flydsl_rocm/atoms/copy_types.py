"""AMD's copy instructions as Fly types: buffer and LDS copies, with their thread-value layouts in bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from flydsl.backend.atoms import FlyAttribute, OneThreadCopy, Reader, text_of
from flydsl.backend.ir import AtomicOp, AtomicOpAttr, element_bits


@dataclass(frozen=True, eq=False, repr=False)
class BufferDescAttr(FlyAttribute):
    """`#fly_rocdl.buffer_desc`: the address space of pointers that are a buffer resource and an element offset."""

    name: ClassVar[str] = "fly_rocdl.buffer_desc"


BUFFER_DESC = BufferDescAttr()


class SizedCopy(OneThreadCopy):
    """Copies whose only parameter is their width."""

    widths: ClassVar[tuple[int, ...]] = ()

    def verify(self) -> None:
        if self.bits not in self.widths:
            raise VerifyException(f"{self.name} moves {', '.join(map(str, self.widths))} bits, found {self.bits}")

    def body(self) -> str:
        return str(self.bits)

    @classmethod
    def read(cls, reader: Reader) -> Self:
        return cls(reader.integer("the number of bits"))


@dataclass(frozen=True, eq=False, repr=False)
class BufferCopyType(OneThreadCopy):
    """`!fly_rocdl.cdna3.buffer_copy<128>` or `<128, cache = 2>`: a bounds-checked access; `soffset` in elements."""

    name: ClassVar[str] = "fly_rocdl.cdna3.buffer_copy"
    fields: ClassVar[tuple[str, ...]] = ("soffset",)
    bits: int
    cache: int = 0

    def verify(self) -> None:
        if self.bits not in (8, 16, 32, 64, 96, 128):
            raise VerifyException(f"a buffer copy moves 8, 16, 32, 64, 96 or 128 bits, found {self.bits}")

    def body(self) -> str:
        return f"{self.bits}, cache = {self.cache}" if self.cache else str(self.bits)

    @classmethod
    def read(cls, reader: Reader) -> Self:
        bits = reader.integer("the number of bits")
        if not reader.accept(","):
            return cls(bits)
        reader.expect("cache")
        reader.expect("=")
        return cls(bits, reader.integer("the cache modifier"))


class _BufferToLds(SizedCopy):
    """Buffer loads that write to LDS: `soffset` counts elements of the buffer tensor, `imm_offset` bytes."""

    fields: ClassVar[tuple[str, ...]] = ("soffset", "imm_offset")
    constant_fields: ClassVar[tuple[str, ...]] = ("imm_offset",)
    from_memory_to_memory: ClassVar[bool] = True


@dataclass(frozen=True, eq=False, repr=False)
class BufferCopyLdsType(_BufferToLds):
    """`!fly_rocdl.cdna3.buffer_copy_lds<32>`: a buffer load that writes to LDS."""

    name: ClassVar[str] = "fly_rocdl.cdna3.buffer_copy_lds"
    widths: ClassVar[tuple[int, ...]] = (32, 128)
    bits: int


@dataclass(frozen=True, eq=False, repr=False)
class BufferLoadAsyncLdsType(_BufferToLds):
    """`!fly_rocdl.cdna4.buffer_load_async_lds<128>`: the same, tracked by async marks."""

    name: ClassVar[str] = "fly_rocdl.cdna4.buffer_load_async_lds"
    widths: ClassVar[tuple[int, ...]] = (32, 96, 128)
    bits: int


@dataclass(frozen=True, eq=False, repr=False)
class GlobalLoadAsyncLdsType(SizedCopy):
    """`!fly_rocdl.cdna4.global_load_async_lds<128>`: global memory to LDS, tracked by async marks."""

    from_memory_to_memory: ClassVar[bool] = True
    name: ClassVar[str] = "fly_rocdl.cdna4.global_load_async_lds"
    widths: ClassVar[tuple[int, ...]] = (32, 96, 128)
    bits: int


@dataclass(frozen=True, eq=False, repr=False)
class BufferAtomicType(OneThreadCopy):
    """`!fly_rocdl.cdna3.buffer_atomic<add, f32>`: a bounds-checked atomic on buffer memory, without a result."""

    name: ClassVar[str] = "fly_rocdl.cdna3.buffer_atomic"
    fields: ClassVar[tuple[str, ...]] = ("soffset",)
    op: AtomicOpAttr
    value_type: Attribute

    @property
    def bits(self) -> int:  # type: ignore[override]
        """Width of the value."""
        return element_bits(self.value_type)

    def body(self) -> str:
        return f"{self.op.data.value}, {text_of(self.value_type)}"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        name = reader.word("an atomic operation")
        if name not in list(AtomicOp):
            reader.error(f"unknown atomic operation {name!r}: choose from {', '.join(AtomicOp)}")
        reader.expect(",")
        return cls(AtomicOpAttr(AtomicOp(name)), reader.attribute())
