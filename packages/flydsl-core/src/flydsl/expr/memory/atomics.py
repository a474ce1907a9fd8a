"""Atomic operations, fences, and loads and stores with a memory ordering."""

from __future__ import annotations

from enum import Enum, StrEnum
from typing import TYPE_CHECKING, Any

from flydsl.base.errors import FrontendError
from flydsl.expr import numeric
from flydsl.expr.memory.element_updates import exchange, update
from flydsl.expr.memory.pointer import Pointer, to_llvm_ptr
from flydsl.expr.numbers.vector import Vector
from flydsl.expr.numeric import Boolean, Numeric
from flydsl.expr.tracing.context import current

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import ScalarLike, VectorLike
    from flydsl.expr.values.traced_types import Scalar

__all__ = [
    "AtomicOrdering",
    "SyncScope",
    "atomic_add",
    "atomic_and",
    "atomic_cas",
    "atomic_fmax",
    "atomic_fmin",
    "atomic_max",
    "atomic_min",
    "atomic_or",
    "atomic_sub",
    "atomic_xchg",
    "atomic_xor",
    "generic_load",
    "generic_store",
    "memory_fence",
]


class AtomicOrdering(Enum):
    """LLVM's memory orderings."""

    NotAtomic = "not_atomic"
    Unordered = "unordered"
    Monotonic = "monotonic"
    Acquire = "acquire"
    Release = "release"
    AcqRel = "acq_rel"
    SeqCst = "seq_cst"


class SyncScope(StrEnum):
    """The set of threads that an ordering applies to, on every target; for a target's own scopes see its namespace."""

    System = ""
    SingleThread = "singlethread"


_CODES = dict(zip(AtomicOrdering, (0, 1, 2, 4, 5, 6, 7), strict=True))
# kind -> `bin_op` of llvm.atomicrmw for (signed, unsigned, float)
_KINDS: dict[str, tuple[int | None, int | None, int | None]] = {
    "xchg": (0, 0, 0),
    "add": (1, 1, 11),
    "sub": (2, 2, 12),
    "and": (3, 3, None),
    "or": (5, 5, None),
    "xor": (6, 6, None),
    "max": (7, 9, None),
    "min": (8, 10, None),
    "fmax": (None, None, 13),
    "fmin": (None, None, 14),
}
_O = AtomicOrdering
_READ = (_O.Monotonic, _O.Acquire, _O.SeqCst)
_WRITE = (_O.Monotonic, _O.Release, _O.SeqCst)
_BOTH = (_O.Monotonic, _O.Acquire, _O.Release, _O.AcqRel, _O.SeqCst)
_FENCE = (_O.Acquire, _O.Release, _O.AcqRel, _O.SeqCst)
Scope = SyncScope | str | None


@update
def atomic_add(
    ptr: Pointer, value: ScalarLike, *, syncscope: Scope = None, ordering: AtomicOrdering = _O.Monotonic
) -> Scalar:
    """Atomically add to the number at `ptr`; returns its previous value.

    `atomic_add(tensor, coord, value)` adds to the element of a tensor at a coordinate of its layout, or of an array in
    shared memory; a pointer knows no strides. So do all of them.
    `syncscope` is the set of threads that the operation is atomic for (a `SyncScope` or the target's name of one, by
    default the whole system), `ordering` orders it with the other accesses of this thread.
    """
    return _update("add", ptr, value, syncscope, ordering)


@update
def atomic_sub(
    ptr: Pointer, value: ScalarLike, *, syncscope: Scope = None, ordering: AtomicOrdering = _O.Monotonic
) -> Scalar:
    """Atomically subtract from the number at `ptr`; see `atomic_add`."""
    return _update("sub", ptr, value, syncscope, ordering)


@update
def atomic_and(
    ptr: Pointer, value: ScalarLike, *, syncscope: Scope = None, ordering: AtomicOrdering = _O.Monotonic
) -> Scalar:
    """Atomically AND the integer at `ptr` with `value`; see `atomic_add`."""
    return _update("and", ptr, value, syncscope, ordering)


@update
def atomic_or(
    ptr: Pointer, value: ScalarLike, *, syncscope: Scope = None, ordering: AtomicOrdering = _O.Monotonic
) -> Scalar:
    """Atomically OR the integer at `ptr` with `value`; see `atomic_add`."""
    return _update("or", ptr, value, syncscope, ordering)


@update
def atomic_xor(
    ptr: Pointer, value: ScalarLike, *, syncscope: Scope = None, ordering: AtomicOrdering = _O.Monotonic
) -> Scalar:
    """Atomically XOR the integer at `ptr` with `value`; see `atomic_add`."""
    return _update("xor", ptr, value, syncscope, ordering)


@update
def atomic_min(
    ptr: Pointer, value: ScalarLike, *, syncscope: Scope = None, ordering: AtomicOrdering = _O.Monotonic
) -> Scalar:
    """Atomically replace the integer at `ptr` by its minimum with `value`; see `atomic_add`."""
    return _update("min", ptr, value, syncscope, ordering)


@update
def atomic_max(
    ptr: Pointer, value: ScalarLike, *, syncscope: Scope = None, ordering: AtomicOrdering = _O.Monotonic
) -> Scalar:
    """Atomically replace the integer at `ptr` by its maximum with `value`; see `atomic_add`."""
    return _update("max", ptr, value, syncscope, ordering)


@update
def atomic_fmin(
    ptr: Pointer, value: ScalarLike, *, syncscope: Scope = None, ordering: AtomicOrdering = _O.Monotonic
) -> Scalar:
    """Atomically replace the float at `ptr` by its minimum with `value`, ignoring a NaN; see `atomic_add`."""
    return _update("fmin", ptr, value, syncscope, ordering)


@update
def atomic_fmax(
    ptr: Pointer, value: ScalarLike, *, syncscope: Scope = None, ordering: AtomicOrdering = _O.Monotonic
) -> Scalar:
    """Atomically replace the float at `ptr` by its maximum with `value`, ignoring a NaN; see `atomic_add`."""
    return _update("fmax", ptr, value, syncscope, ordering)


@update
def atomic_xchg(
    ptr: Pointer, value: ScalarLike, *, syncscope: Scope = None, ordering: AtomicOrdering = _O.Monotonic
) -> Scalar:
    """Atomically replace the number at `ptr`; see `atomic_add`."""
    return _update("xchg", ptr, value, syncscope, ordering)


@exchange
def atomic_cas(
    ptr: Pointer,
    cmp: ScalarLike,
    val: ScalarLike,
    *,
    syncscope: Scope = None,
    success_ordering: AtomicOrdering = _O.Monotonic,
    failure_ordering: AtomicOrdering = _O.Monotonic,
) -> Scalar:
    """Atomically replace the number at `ptr` by `val` if it equals `cmp` bitwise; returns its previous value."""
    from flydsl.ir.upstream import StructType

    dtype = _atomic_type("atomic_cas", ptr)
    _check("atomic_cas", success_ordering, _BOTH)
    _check("atomic_cas", failure_ordering, _READ)
    bits: type[Numeric] = getattr(numeric, f"Int{dtype.width}")
    emitter = current()
    operands = [to_llvm_ptr(ptr), *(dtype(number).bitcast(bits).ir_value() for number in (cmp, val))]
    attributes = {
        **_ordering("success_ordering", success_ordering),
        **_ordering("failure_ordering", failure_ordering),
        **_scope(syncscope),
    }
    pair = StructType((emitter.type(bits), emitter.type(Boolean)))
    previous = emitter.value("llvm.cmpxchg", operands, pair, attributes=attributes)
    properties = {"position": emitter.integers([0])}
    return bits.wrap(  # type: ignore[return-value]
        emitter.value("llvm.extractvalue", [previous], emitter.type(bits), properties=properties)
    ).bitcast(dtype)


def memory_fence(*, syncscope: Scope = None, ordering: AtomicOrdering = _O.SeqCst) -> None:
    """Order the accesses of this thread before and after the fence, as seen by the threads of `syncscope`."""
    _check("memory_fence", ordering, _FENCE)
    current().op("llvm.fence", attributes={**_ordering("ordering", ordering), **_scope(syncscope)})


def generic_load(
    ptr: Pointer,
    *,
    dtype: type[Numeric] | None = None,
    count: int | None = None,
    memory_order: AtomicOrdering = _O.NotAtomic,
    syncscope: Scope = None,
    nontemporal: bool = False,
    volatile: bool = False,
) -> Scalar | Vector:
    """Load a `dtype` (by default the element type of the pointer), or a vector of `count` of them, with an ordering.

    `nontemporal`: the data is not needed again soon; `volatile`: the access must not be removed or merged.
    """
    kind = dtype or _element("generic_load", ptr)
    _check_access("generic_load", memory_order, count, (_O.NotAtomic, _O.Unordered, *_READ))
    emitter = current()
    shape = None if count is None else (count,)
    value = emitter.value(
        "llvm.load",
        [to_llvm_ptr(ptr)],
        emitter.type(kind, shape),
        **_access(ptr, kind, memory_order, syncscope, nontemporal, volatile),
    )
    return kind.wrap(value) if shape is None else Vector(value, shape, kind)  # type: ignore[return-value]


def generic_store(
    ptr: Pointer,
    value: VectorLike,
    *,
    memory_order: AtomicOrdering = _O.NotAtomic,
    syncscope: Scope = None,
    nontemporal: bool = False,
    volatile: bool = False,
) -> None:
    """Store a scalar or vector, converted to the pointer's element type, with an ordering; see `generic_load`."""
    kind = _element("generic_store", ptr)
    count = value.numel if isinstance(value, Vector) else None
    _check_access("generic_store", memory_order, count, (_O.NotAtomic, _O.Unordered, *_WRITE))
    stored = value.to(kind) if isinstance(value, Vector) else kind(value)
    operands = [stored.ir_value(), to_llvm_ptr(ptr)]
    current().op("llvm.store", operands, **_access(ptr, kind, memory_order, syncscope, nontemporal, volatile))


def has_atomics(dtype: type[Numeric]) -> bool:
    """Whether there are atomic operations on numbers of this type."""
    widths = (16, 32, 64) if dtype.is_float else (8, 16, 32, 64)
    return dtype.width in widths and dtype.mlir_name != "index"


def _update(kind: str, ptr: Pointer, value: ScalarLike, syncscope: Scope, ordering: AtomicOrdering) -> Scalar:
    dtype = _atomic_type(f"atomic_{kind}", ptr)
    code = _KINDS[kind][2 if dtype.is_float else 0 if dtype.is_signed else 1]
    if code is None:
        hint = f"; use atomic_f{kind}" if kind in ("min", "max") else ""
        raise FrontendError(f"there is no atomic_{kind} on {dtype.__name__}{hint}")
    _check(f"atomic_{kind}", ordering, _BOTH)
    emitter = current()
    number = dtype(value).ir_value()
    attributes = {"bin_op": emitter.integer(code, 64), **_ordering("ordering", ordering), **_scope(syncscope)}
    return dtype.wrap(  # type: ignore[return-value]
        emitter.value("llvm.atomicrmw", [to_llvm_ptr(ptr), number], number.type, attributes=attributes)
    )


def _access(
    ptr: Pointer, kind: type[Numeric], order: AtomicOrdering, scope: Scope, nontemporal: bool, volatile: bool
) -> dict[str, Any]:
    """The properties of `llvm.load` and `llvm.store`."""
    from xdsl.dialects.builtin import UnitAttr

    swizzle = ptr.payload.swizzle
    align = ptr.alignment & -ptr.alignment
    align = align if swizzle is None else min(align, 1 << swizzle.base)
    if order is not _O.NotAtomic:
        align = max(align, kind.width // 8)  # an atomic access is aligned
    flags = {"nontemporal": nontemporal, "volatile_": volatile}
    attributes = {
        **_ordering("ordering", order),
        "alignment": current().integer(align, 64),
        **{name: UnitAttr() for name, is_set in flags.items() if is_set},
        **(_scope(scope) if order is not _O.NotAtomic else {}),
    }
    return {"properties": attributes}


def _element(function: str, ptr: Pointer) -> type[Numeric]:
    if not isinstance(ptr, Pointer):
        raise FrontendError(f"{function} needs a pointer, found {ptr!r}; fx.get_iter(tensor) returns that of a tensor")
    if ptr.dtype is None:
        raise FrontendError(f"{function} needs a pointer to numbers, found {ptr!r}; recast it with fx.recast_iter")
    return ptr.dtype


def _atomic_type(function: str, ptr: Pointer) -> type[Numeric]:
    dtype = _element(function, ptr)
    if not has_atomics(dtype):
        raise FrontendError(f"{function} needs integers of 8 to 64 bits or floats of 16 to 64, found {dtype.__name__}")
    return dtype


def _check(function: str, ordering: AtomicOrdering, allowed: tuple[AtomicOrdering, ...]) -> None:
    if ordering not in allowed:
        names = ", ".join(f"AtomicOrdering.{one.name}" for one in allowed)
        raise FrontendError(f"{function} takes {names}, found {ordering!r}")


def _check_access(function: str, order: AtomicOrdering, count: int | None, allowed: tuple[AtomicOrdering, ...]) -> None:
    _check(function, order, allowed)
    if count is not None and (not isinstance(count, int) or count < 1):
        raise FrontendError(f"{function} takes a positive number of elements, found {count!r}")
    if count is not None and order is not _O.NotAtomic:
        raise FrontendError(f"{function} of a vector cannot be atomic; access its elements")


def _ordering(name: str, ordering: AtomicOrdering) -> dict[str, Any]:
    return {name: current().integer(_CODES[ordering], 64)}


def _scope(scope: Scope) -> dict[str, Any]:
    name = getattr(scope, "value", scope) or ""
    if not isinstance(name, str):
        raise FrontendError(f"a syncscope is a fx.SyncScope or the target's name of one, found {scope!r}")
    return {"syncscope": current().attribute(name)} if name else {}
