"""Memory of an interpreted program: bytes behind addresses, with every access checked.

An access must lie in its memory; what was never written is undefined; and where threads share a memory, its shadow
looks for races.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation

from flydsl.base.errors import IRError, OutOfBoundsError
from flydsl.ir.fly.element import element_bits, element_bytes
from flydsl.ir.interpret.numbers import codec
from flydsl.ir.interpret.poison import POISON, Poison, poison_of
from flydsl.ir.interpret.races import Shadow
from flydsl.ir.interpret.thread import Thread
from flydsl.layout import Swizzle


class Memory:
    """Bytes that addresses point into; `base` is the address of the first.

    `written` has a 1 for each byte that has a value (None: all have). `extents` are (count, stride in bytes) of a
    tensor whose elements do not fill the bytes between its first and last. A memory with a shadow is shared between
    threads; one that `needs_values` is where undefined values must not go.
    """

    def __init__(
        self,
        data: Any,
        base: int = 0,
        *,
        name: str = "memory",
        fresh: bool = False,
        shadow: Shadow | None = None,
        needs_values: bool = False,
        extents: Sequence[tuple[int, int]] = (),
    ) -> None:
        self.data, self.base, self.name, self.shadow = data, base, name, shadow
        self.written = bytearray(len(data)) if fresh else None
        self.needs_values = needs_values
        self.extents = extents
        self.changes = 0
        self._reasons: dict[int, Poison] = {}

    def offset(self, byte: int, size: int, verb: str) -> int:
        """The index of a byte address; OutOfBoundsError when the access is not inside."""
        offset = byte - self.base
        if offset < 0 or offset + size > len(self.data):
            raise OutOfBoundsError(
                f"{verb} {size} bytes at byte {offset} of {self.name}, which has {len(self.data)} bytes"
            )
        if self.extents and not self._is_element(offset):
            raise OutOfBoundsError(
                f"{verb} {size} bytes at byte {offset} of {self.name}, between two of its elements; "
                "its strides leave gaps"
            )
        return offset

    def load(self, byte: int, type_: Attribute, thread: Thread | None = None, op: Operation | None = None) -> Any:
        """The scalar at a byte address."""
        how = codec(type_)
        offset = self.offset(byte, how.size, "reads")
        if self.shadow is not None and thread is not None and op is not None:
            self.shadow.read(self.name, byte, how.size, thread, op)
        if self.written is not None and self.written.find(0, offset, offset + how.size) >= 0:
            return self._undefined(offset, how.size)
        return how.read(self.data, offset)

    def store(
        self, byte: int, value: Any, type_: Attribute, thread: Thread | None = None, op: Operation | None = None
    ) -> None:
        """Write the scalar at a byte address."""
        how = codec(type_)
        offset = self.offset(byte, how.size, "writes")
        if self.shadow is not None and thread is not None and op is not None:
            self.shadow.write(self.name, byte, how.size, thread, op)
        self.put(offset, value, type_)

    def put(self, offset: int, value: Any, type_: Attribute) -> None:
        """Write at a checked offset."""
        how = codec(type_)
        self.changes += 1
        if isinstance(value, Poison):
            self._forget(offset, how.size, value)
            return
        if self.written is not None:
            self.written[offset : offset + how.size] = b"\1" * how.size
        how.write(self.data, offset, value)

    def _undefined(self, offset: int, size: int) -> Poison:
        for byte in range(offset, offset + size):
            if byte in self._reasons:
                return self._reasons[byte]
        return Poison(f"it was read from byte {offset} of {self.name}, which nothing has written")

    def _forget(self, offset: int, size: int, value: Poison) -> None:
        if self.needs_values:
            raise value.error(f"{self.name} is written at byte {offset}")
        if self.written is None:
            self.written = bytearray(b"\1" * len(self.data))
        self.written[offset : offset + size] = bytes(size)
        for byte in range(offset, offset + size):
            self._reasons[byte] = value

    def _is_element(self, offset: int) -> bool:
        for count, stride in self.extents:
            index = min(offset // stride, count - 1)
            offset -= index * stride
        return offset == 0


class Address:
    """An address in a memory, in bytes, and the type of what is there."""

    __slots__ = ("byte", "element", "memory", "swizzle")

    def __init__(self, memory: Memory, byte: int, element: Attribute, swizzle: Swizzle | None = None) -> None:
        self.memory, self.byte, self.element, self.swizzle = memory, byte, element, swizzle

    def __repr__(self) -> str:
        return f"<{self.element} at byte {self.byte - self.memory.base} of {self.memory.name}>"

    def moved(self, count: int) -> Address:
        """The address `count` elements further."""
        return Address(self.memory, self.byte + count * element_bytes(self.element), self.element, self.swizzle)

    def as_element(self, element: Attribute) -> Address:
        """The same address of elements of another type."""
        if (_is_part(element) or _is_part(self.element)) and element_bits(element) != element_bits(self.element):
            raise _packed(f"{self.element} read as {element}")
        return Address(self.memory, self.byte, element, self.swizzle)

    def swizzled(self, swizzle: Swizzle | None) -> Address:
        """The same address, accesses through which permute its bits."""
        return Address(self.memory, self.byte, self.element, swizzle)

    @property
    def target(self) -> int:
        """The byte address that an access goes to."""
        byte = self.swizzle(self.byte) if self.swizzle is not None else self.byte
        assert isinstance(byte, int)
        return byte

    def load(self, type_: Attribute, thread: Thread | None = None, op: Operation | None = None) -> Any:
        """The scalar or vector at the address."""
        self._refuse_parts(type_)
        if not isinstance(type_, VectorType):
            return self.memory.load(self.target, type_, thread, op)
        element, size = type_.element_type, element_bytes(type_.element_type)
        parts = [
            Address(self.memory, self.byte + size * i, element, self.swizzle) for i in range(type_.element_count())
        ]
        return [self.memory.load(part.target, element, thread, op) for part in parts]

    def store(self, value: Any, type_: Attribute, thread: Thread | None = None, op: Operation | None = None) -> None:
        """Write a scalar or vector."""
        self._refuse_parts(type_)
        if not isinstance(type_, VectorType):
            self.memory.store(self.target, value, type_, thread, op)
            return
        element, size = type_.element_type, element_bytes(type_.element_type)
        lanes = value if isinstance(value, list) else [_undefined(value)] * type_.element_count()
        for index, lane in enumerate(lanes):
            part = Address(self.memory, self.byte + size * index, element, self.swizzle)
            self.memory.store(part.target, lane, element, thread, op)

    def _refuse_parts(self, type_: Attribute) -> None:
        """In memory that threads share, elements of less than a byte would be packed; registers keep each by itself."""
        if self.memory.shadow is not None and _is_part(type_):
            raise _packed(f"{type_} in {self.memory.name}")


@cache
def _is_part(type_: Attribute) -> bool:
    """Whether elements of a type take less than a byte in memory; bools take one."""
    element = type_.element_type if isinstance(type_, VectorType) else type_
    return element_bits(element) % 8 > 0 and element_bits(element) != 1


def _undefined(value: Any) -> Poison:
    """What each lane of a vector that has no value is."""
    found = poison_of(value)
    return POISON if found is None else found  # the truth of an undefined value is an error


def _packed(what: str) -> IRError:
    return IRError(f"{what} cannot be interpreted: elements are parts of bytes; run it compiled")


def allocate(element: Attribute, count: int, name: str = "register memory") -> Address:
    """New memory of one thread, undefined until it is written."""
    return Address(Memory(bytearray(count * element_bytes(element)), fresh=True, name=name), 0, element)
