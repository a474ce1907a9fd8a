"""The memory spaces that every target has: plain addresses, registers on the stack, shared memory as globals."""

from __future__ import annotations

from math import gcd

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, i8, i64
from xdsl.ir import Attribute, Region, SSAValue

from flydsl.backend.conversion.conversion import Conversion
from flydsl.backend.conversion.target import MemorySpace
from flydsl.base.errors import IRError
from flydsl.ir.fly import MakePtrOp
from flydsl.ir.fly.element import element_bits
from flydsl.ir.fly.types import PointerType
from flydsl.layout import Swizzle
from flydsl.passes.registers.storage import storage_type
from flydsl.passes.to_llvm.builder import LLVMBuilder, array_type, pointer_type


class PlainSpace(MemorySpace):
    """Pointers are `!llvm.ptr<number>`; `address_bits` is their width as an integer."""

    def __init__(self, number: int = 0, address_bits: int = 64) -> None:
        self.number, self.address_type = number, IntegerType(address_bits)

    def llvm_type(self, type_: PointerType) -> Attribute:
        return pointer_type(self.number)

    def make(self, conversion: Conversion, op: MakePtrOp, type_: PointerType) -> SSAValue:
        raise IRError(f"fly.make_ptr cannot make a {type_} on target {conversion.target.name!r}")

    def add_offset(self, build: LLVMBuilder, pointer: SSAValue, type_: PointerType, offset: int | SSAValue) -> SSAValue:
        element = storage_type(type_.element)
        bits = element_bits(element)
        if bits % 8 and bits != 1:
            element, offset = i8, byte_offset(build, self._offset(build, offset), bits)
        if isinstance(offset, int) and offset.bit_length() > 31:  # more than the constant index of a GEP holds
            if (offset * max(1, bits // 8)).bit_length() >= self.address_type.width.data:
                raise IRError(
                    f"an offset of {offset} elements of {type_.element} is more than the "
                    f"{self.address_type.width.data} bits of an address in {type_.space} memory"
                )
            offset = build.constant(offset, i64)
        index = build.constant(offset) if isinstance(offset, int) else offset
        return build.gep(pointer, (index,), element)

    def _offset(self, build: LLVMBuilder, offset: int | SSAValue) -> int | SSAValue:
        """An offset in elements as wide as an address, so that its bits can be counted."""
        if isinstance(offset, int) or self.address_type.width.data == 32:
            return offset
        return build.integer_cast(offset, self.address_type)

    def load(self, build: LLVMBuilder, pointer: SSAValue, type_: PointerType, value_type: Attribute) -> SSAValue:
        address = self._checked_address(build, pointer, type_, value_type)
        memory_type = i64 if isinstance(value_type, IndexType) else value_type
        return build.cast_index(build.load(address, memory_type, _access_alignment(type_)), value_type)

    def store(self, build: LLVMBuilder, value: SSAValue, pointer: SSAValue, type_: PointerType) -> None:
        address = self._checked_address(build, pointer, type_, value.type)
        memory_type = i64 if isinstance(value.type, IndexType) else value.type
        build.store(build.cast_index(value, memory_type), address, _access_alignment(type_))

    def address(self, build: LLVMBuilder, pointer: SSAValue, type_: PointerType) -> SSAValue:
        swizzle = type_.swizzle
        if swizzle is None or swizzle.mask == 0:
            return pointer
        number = build.value(llvm.PtrToIntOp, (pointer,), self.address_type)
        return build.value(llvm.IntToPtrOp, (swizzled(build, number, swizzle),), pointer.type)

    def _checked_address(
        self, build: LLVMBuilder, pointer: SSAValue, type_: PointerType, value_type: Attribute
    ) -> SSAValue:
        _check_bytes(type_.element, value_type)
        if type_.swizzle is not None:
            check_granule(type_.swizzle, element_bits(value_type) // 8)
        return self.address(build, pointer, type_)


class RegisterSpace(PlainSpace):
    """Register memory that was not promoted to values: the stack.

    Unless `at_entry` is False, allocations in loops and branches are made in the function's first block, where LLVM
    looks for what it can keep in registers.
    """

    def __init__(self, number: int = 0, address_bits: int = 64, *, at_entry: bool = True) -> None:
        super().__init__(number, address_bits)
        self._at_entry = at_entry

    def make(self, conversion: Conversion, op: MakePtrOp, type_: PointerType) -> SSAValue:
        build = conversion.entry if self._at_entry and not _is_in_first_block(op) else conversion.build
        element = storage_type(type_.element)
        properties: dict[str, Attribute] = {"elem_type": element}
        if (alignment := _power_of_two(type_.align)) * 8 > element_bits(element):
            properties["alignment"] = IntegerAttr(alignment, i64)
        count = build.constant(allocated_elements(op), i64)
        return build.value(llvm.AllocaOp, (count,), pointer_type(self.number), properties)


class SharedSpace(PlainSpace):
    """Memory of a workgroup: each allocation is a global of the gpu.module, of a `linkage` that the backend takes for a
    definition; `attributes` mark it for the backend.
    """

    def __init__(
        self,
        number: int = 0,
        address_bits: int = 64,
        *,
        attributes: dict[str, Attribute] | None = None,
        linkage: str = "external",
    ) -> None:
        super().__init__(number, address_bits)
        self._attributes, self._linkage = attributes or {}, linkage

    def make(self, conversion: Conversion, op: MakePtrOp, type_: PointerType) -> SSAValue:
        """A global of `allocBytes` bytes aligned to `allocAlign`, or of `allocSize` elements."""
        size, align = _number(op, "allocBytes"), _number(op, "allocAlign")
        if size is None:
            size = -(-allocated_elements(op) * element_bits(type_.element) // 8)
        if align is not None and align & (align - 1):
            raise IRError(f"fly.make_ptr: 'allocAlign' is a power of two, found {align}")
        name = conversion.fresh_symbol("__shared_alloc_")
        return self._global(conversion, name, size, max(align or 1, _power_of_two(type_.align)))

    def make_dynamic(self, conversion: Conversion, type_: PointerType) -> SSAValue:
        """The start of dynamic shared memory: one global of size 0 for the whole module."""
        start = self._global(conversion, "__dynamic_shared_0", 0, _power_of_two(type_.align))
        return conversion.build.gep(start, (0,), i8)

    def _global(self, conversion: Conversion, name: str, size: int, align: int) -> SSAValue:
        if conversion.is_host:
            raise IRError("shared memory is allocated in functions of a gpu.module, not in those beside it")
        if name not in conversion.symbols:
            op = llvm.GlobalOp(
                array_type(size, i8),
                name,
                self._linkage if size else "external",
                addr_space=self.number,
                dso_local=True,
                alignment=align,
                body=Region(),
            )
            op.attributes.update(self._attributes)
            conversion.add_symbol(name, op)
        return conversion.build.address_of(name, self.number)


def allocated_elements(op: MakePtrOp) -> int:
    """The number of elements that an allocating `fly.make_ptr` asks for."""
    size = _number(op, "allocSize")
    if size is None:
        raise IRError(f"fly.make_ptr needs the attribute 'allocSize', found {op.dict_attrs}")
    return size


def _number(op: MakePtrOp, name: str) -> int | None:
    """An entry of `dictAttrs`, which is a positive number; None when there is none."""
    found = getattr(op.dict_attrs, "data", {}).get(name)
    if found is None:
        return None
    if not isinstance(found, IntegerAttr) or found.value.data <= 0:
        raise IRError(f"fly.make_ptr: {name!r} is a positive number, found {found}")
    return found.value.data


def _is_in_first_block(op: MakePtrOp) -> bool:
    block = op.parent
    function = block.parent_op() if block is not None else None
    return (
        function is not None
        and function.name in ("func.func", "gpu.func")
        and block is function.regions[0].blocks.first
    )


def _check_bytes(element: Attribute, value_type: Attribute) -> None:
    bits, accessed = element_bits(element), element_bits(value_type)
    if bits % 8 and bits != 1 and accessed % 8:
        raise IRError(
            f"{accessed} bits of a tensor of {element} have no address of their own: memory is addressed in bytes; "
            f"access {8 // gcd(bits, 8)} neighbours at once, as a vector"
        )


def byte_offset(build: LLVMBuilder, offset: int | SSAValue, bits: int) -> int | SSAValue:
    """The bytes of `offset` elements of `bits` bits."""
    if isinstance(offset, int):
        return offset * bits // 8
    type_ = offset.type
    assert isinstance(type_, IntegerType)
    if bits % 8 == 0:
        return offset if bits == 8 else build.mul(offset, build.constant(bits // 8, type_))
    return build.shift_right_signed(build.mul(offset, build.constant(bits, type_)), build.constant(3, type_))


def _access_alignment(type_: PointerType) -> int:
    alignment = _power_of_two(type_.align)
    return alignment if type_.swizzle is None else min(alignment, 1 << type_.swizzle.base)


def _power_of_two(value: int) -> int:
    """The greatest power of two that divides `value`."""
    return value & -value


def swizzled(build: LLVMBuilder, number: SSAValue, swizzle: Swizzle) -> SSAValue:
    """A byte address or byte offset with the bits of a swizzle exchanged."""
    type_ = number.type
    assert isinstance(type_, IntegerType)
    bits = ((1 << swizzle.mask) - 1) << (swizzle.base + swizzle.shift)
    picked = build.bit_and(number, build.constant(bits, type_))
    return build.bit_xor(number, build.shift_right(picked, build.constant(swizzle.shift, type_)))


def check_granule(swizzle: Swizzle, size: int) -> None:
    """Raise IRError for an access of `size` bytes that a swizzle would tear apart."""
    if size and (1 << swizzle.base) % size:
        raise IRError(
            f"an access of {size} bytes through swizzle {swizzle} crosses its granule of {1 << swizzle.base} bytes; "
            "use a smaller copy atom or a swizzle with a larger base"
        )
