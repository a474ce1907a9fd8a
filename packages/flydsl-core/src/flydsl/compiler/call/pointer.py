"""Pointer arguments: raw addresses, which traced code sees as `fx.Pointer`."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from flydsl.base.errors import ArgumentError
from flydsl.compiler.call.argument import BoundArgument, ElementSpec, PlanPart, check_alignment, next_codes
from flydsl.expr.memory.address_space import AddressSpace, pointer_type
from flydsl.expr.memory.memory_format import memory_dtype
from flydsl.expr.numeric import Numeric

if TYPE_CHECKING:
    from xdsl.ir import Attribute, SSAValue

    from flydsl.compiler.call.stub import StubSource
    from flydsl.expr.memory.pointer import Pointer
    from flydsl.frontend.signature import Parameter
    from flydsl.ir.interpret import Memory
    from flydsl.toolchain.slots import Slot

_LARGEST = (1 << 64) - 1


class PointerArgument:
    """A raw address whose memory the caller keeps alive; nothing of it is checked but its alignment."""

    __slots__ = ("address", "address_space", "alignment", "element_type")

    def __init__(self, element_type: type[Numeric], address: int, space: AddressSpace, alignment: int) -> None:
        self.element_type, self.address = element_type, address
        self.address_space, self.alignment = space, alignment

    def __repr__(self) -> str:
        return f"<pointer to {self.element_type.__name__} at {self.address:#x}>"


@dataclass(frozen=True, slots=True)
class PointerSpec(ElementSpec):
    """A typed address passed at run time: element type, number of the address space, alignment in bytes."""

    space: int
    align: int

    def text(self) -> str:
        return f"pointer<{self.dtype}, space<{self.space}>, align<{self.align}>>"

    def ir_types(self) -> list[Attribute]:
        return [pointer_type(memory_dtype(self.element), self.space, self.align)]

    def traced_value(self, values: Sequence[SSAValue]) -> Pointer:
        from flydsl.expr.values.wrap import box

        return box(values[0], self.element)  # type: ignore[no-any-return]


class BoundPointer(BoundArgument):
    """An address of a call."""

    __slots__ = ()

    spec: PointerSpec

    @classmethod
    def takes(cls, parameter: Parameter, value: Any) -> bool:
        return parameter.kind == "pointer" or isinstance(value, PointerArgument)

    @classmethod
    def bind(cls, parameter: Parameter, value: Any, device_kinds: frozenset[int]) -> Self:
        if not isinstance(value, PointerArgument):
            raise ArgumentError(
                f"a pointer is passed as flyc.from_c_void_p(element_type, address), found {type(value).__name__}"
            )
        if parameter.kind not in ("any", "pointer"):
            raise ArgumentError(
                f"a {parameter.kind} is expected, found {value!r}; annotate the parameter with fx.Pointer"
            )
        check_alignment("pointer", value.address, value.alignment)
        spec = PointerSpec(value.element_type.__name__, int(value.address_space), value.alignment)
        return cls(parameter, value, None, spec)

    def is_live(self, device_kinds: frozenset[int]) -> bool | None:
        return bool(self.passed.address)

    def check_launch(self) -> None:
        if not self.passed.address:
            raise ArgumentError(
                f"argument {self.parameter.name!r}: the pointer is null; pass the address of memory, or make kernels "
                "with and without it"
            )

    def plan_part(self, slots: Iterator[Slot]) -> PlanPart:
        return PlanPart(next_codes(slots), (self.spec.align - 1,))

    def write_stub(self, stub: StubSource, index: int, name: str) -> None:
        stub.keys.append(f"({name}.element_type, {name}.address_space, {name}.alignment)")
        stub.reads.append(f"p{index} = {name}.address")
        stub.masks.append(f"(p{index} & m{index})")
        stub.non_null.append(f"p{index}")
        stub.plan.append(f"m{index}")
        stub.packed.append(f"p{index}")

    def interpreted(self, memory: Memory | None, memories: Sequence[Memory]) -> list[Any]:
        from flydsl.compiler.call.host_memory import address_in
        from flydsl.ir.fly.types import PointerType

        (kind,) = self.spec.ir_types()
        assert isinstance(kind, PointerType)
        return [address_in(memories, self.passed.address, kind)]


def from_c_void_p(
    element_type: type[Numeric],
    pointer: ctypes.c_void_p | int | None,
    *,
    address_space: AddressSpace = AddressSpace.Global,
    assumed_align: int | None = None,
) -> PointerArgument:
    """The address `pointer` (None is the null pointer) as an argument that points to `element_type`.

    `assumed_align` promises an alignment in bytes, the element's by default; it is checked at each call.
    """
    if not (isinstance(element_type, type) and issubclass(element_type, Numeric) and element_type is not Numeric):
        raise ArgumentError(f"element_type is a numeric type such as fx.Float32, found {element_type!r}")
    space = _space(address_space)
    size = element_type.__dsl_size_of__()
    align = size if assumed_align is None else assumed_align
    if not isinstance(align, int) or align <= 0 or align % size or align & (align - 1):
        raise ArgumentError(f"assumed_align is a power of two and a multiple of {size} bytes, found {assumed_align!r}")
    return PointerArgument(element_type, _address(pointer), space, align)


def _space(value: Any) -> AddressSpace:
    try:
        space = AddressSpace(value)
    except ValueError:
        space = AddressSpace.Register
    if space not in (AddressSpace.Generic, AddressSpace.Global):
        raise ArgumentError(
            f"a pointer of the host is in fx.AddressSpace.Global or fx.AddressSpace.Generic, found {value!r}"
        )
    return space


def _address(pointer: Any) -> int:
    value = pointer.value if isinstance(pointer, ctypes.c_void_p) else pointer
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _LARGEST:
        raise ArgumentError(
            f"a pointer is a ctypes.c_void_p, an integer from 0 to 2**64 - 1 or None, found {pointer!r}"
        )
    return value
