"""Shared memory of a block: allocators and the dynamic part."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from flydsl.base.errors import FrontendError
from flydsl.expr.memory.address_space import AddressSpace, pointer_type
from flydsl.expr.memory.pointer import Pointer, make_ptr, recast_iter
from flydsl.expr.memory.storable import dsl_align_of, dsl_size_of
from flydsl.expr.memory.storage import Storage, check_alignment
from flydsl.expr.numbers.promotion import known_integer
from flydsl.expr.numeric import Int8, Numeric
from flydsl.expr.tracing.context import current

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import StorableType

__all__ = ["Arena", "SharedAllocator", "get_dyn_shared"]

_MAX_ALIGNMENT = 1024  # of the start of shared memory, on every target


class Arena:
    """A bump allocator in the memory at one pointer; allocations are never freed."""

    DEFAULT_BASE_ALIGNMENT = 16

    def __init__(self, base_alignment: int = DEFAULT_BASE_ALIGNMENT, *, base: Pointer | None = None) -> None:
        check_alignment(base_alignment)
        self._base_alignment, self._base, self._end = base_alignment, base, 0

    @property
    def base_ptr(self) -> Pointer:
        """The start of the memory, as a byte pointer."""
        if self._base is None:
            raise FrontendError("an Arena needs memory to allocate from; pass base=, or use fx.SharedAllocator")
        return recast_iter(Int8, self._base)

    @property
    def allocated_bytes(self) -> int:
        """Bytes allocated so far, including padding for alignment."""
        return self._end

    @overload
    def allocate(self, storable_or_int: int, alignment: int | None = None) -> Pointer: ...  # type: ignore[overload-overlap]
    @overload
    def allocate(self, storable_or_int: StorableType, alignment: int | None = None) -> Storage: ...
    def allocate(self, storable_or_int: StorableType, alignment: int | None = None) -> Pointer | Storage:
        """The storage of a storable type, or a byte pointer to that many bytes.

        `alignment` is a minimum in bytes, besides that of the type and of the arena.
        """
        storable_or_int = known_integer(storable_or_int)
        size, align = self._request(storable_or_int, alignment)
        pointer = self._take(size, align)
        return pointer if isinstance(storable_or_int, int) else Storage(pointer, storable_or_int)

    def _request(self, storable_or_int: StorableType, alignment: int | None) -> tuple[int, int]:
        if alignment is not None:
            alignment = check_alignment(alignment)
        if isinstance(storable_or_int, int) and not isinstance(storable_or_int, bool):
            size, align = storable_or_int, 1
        else:
            size, align = dsl_size_of(storable_or_int), dsl_align_of(storable_or_int)
        if size < 1 and isinstance(storable_or_int, int):
            raise FrontendError(f"an allocation has a positive number of bytes, found {size!r}")
        return size, max(align, alignment or 1, self._base_alignment)

    def _take(self, size: int, align: int) -> Pointer:
        start = -(-self._end // align) * align
        base = self.base_ptr
        if base.alignment % align:
            raise FrontendError(
                f"an allocation aligned to {align} bytes needs a base that is, and {base!r} is aligned to "
                f"{base.alignment}"
            )
        self._end = start + size
        return base + start if start else base


class SharedAllocator(Arena):
    """An allocator of the block's shared memory.

    If `static`, the compiler assigns the address of each allocation. Otherwise the allocations are consecutive in
    dynamic shared memory: a launch without `smem` reserves the size that its kernel allocates, and `smem` must be at
    least that size.
    """

    def __init__(self, base_alignment: int = Arena.DEFAULT_BASE_ALIGNMENT, *, static: bool = True) -> None:
        super().__init__(base_alignment)
        self._static = static

    @property
    def is_static(self) -> bool:
        """Whether the compiler assigns the addresses of the allocations."""
        return self._static

    @property
    def base_ptr(self) -> Pointer:
        """The start of dynamic shared memory; raises FrontendError for static allocations, which have no common one."""
        if self._static:
            raise FrontendError("static shared memory has no common start; use the pointer of each allocation")
        if self._base is None:
            self._base = get_dyn_shared()
        return self._base

    def _take(self, size: int, align: int) -> Pointer:
        current().require_kernel("SharedAllocator")
        if self._static:
            self._end = -(-self._end // align) * align + size
            natural = min(size & -size, _MAX_ALIGNMENT)  # costs no padding, and is what swizzles need
            kind = pointer_type(Int8, AddressSpace.Shared, max(align, natural))
            return make_ptr(kind, [], dict_attrs={"allocSize": size})
        pointer = super()._take(size, align)
        current().use_dynamic_shared(self._end)
        return pointer


def get_dyn_shared(dtype: type[Numeric] | None = None) -> Pointer:
    """A pointer to the start of dynamic shared memory, aligned to 1024 bytes: to bytes, or to elements of `dtype`.

    The size of the memory is the `smem` of the launch.
    """
    current().require_kernel("get_dyn_shared")
    current().use_dynamic_shared(0)
    base: Pointer = current().fly_call("get_dyn_shared", [], {}, dtype=Int8)
    return base if dtype is None else recast_iter(dtype, base)
