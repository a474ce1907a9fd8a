"""Emission of PTX instructions and NVVM intrinsics at the insertion point, and the operands that they take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from flydsl.backend.language import current, user_location
from flydsl.base.errors import FrontendError
from flydsl.expr import Float32, Int32, Numeric, Pointer, Storage, Tensor, as_numeric, get_iter, ptrtoint

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from flydsl.backend.language import IntLike

SharedMemory = Pointer | Storage | Tensor
"""What says where something is in shared memory."""
_BARRIER_BITS = 64


def instruction(text: str, *operands: Any, clobbers: str = "~{memory}") -> None:
    """PTX with 32-bit operands `$0`, `$1`, ...; never left out, doubled or moved past accesses of memory."""
    constraints = ",".join(["r"] * len(operands) + ([clobbers] if clobbers else []))
    _assembly(text, constraints, operands, [])


def instruction_on(text: str, operands: Sequence[tuple[str, Any]]) -> None:
    """The same with operands of any class: `r` 32 bits, `l` 64 bits or an address, `h` 16 bits."""
    constraints = ",".join([*(kind for kind, _ in operands), "~{memory}"])
    _assembly(text, constraints, [value for _, value in operands], [])


def number(text: str, *operands: Any) -> Int32:
    """The same with a 32-bit result, `$0`; the operands are `$1`, `$2`, ..."""
    constraints = ",".join(["=r", *["r"] * len(operands), "~{memory}"])
    return Int32.wrap(_assembly(text, constraints, operands, [current().type(Int32)]))


def float_function(text: str, value: Numeric) -> Float32:
    """The Float32 `$0` of a Float32 `$1`, and of nothing else: it may be left out or moved."""
    return Float32.wrap(_assembly(text, "=f,f", [Float32(value).ir_value()], [current().type(Float32)], is_pure=True))


def _assembly(
    text: str, constraints: str, operands: Sequence[Any], results: list[Any], *, is_pure: bool = False
) -> Any:
    emitter = current()
    properties = {"asm_string": emitter.attribute(text), "constraints": emitter.attribute(constraints)}
    if not is_pure:
        properties["has_side_effects"] = emitter.unit()
    op = emitter.op("llvm.inline_asm", list(operands), results, properties=properties)
    return op.results[0] if results else None


def intrinsic(name: str, operands: Sequence[Any] = (), results: Sequence[Any] = ()) -> Any:
    """`llvm.nvvm.<name>`: its result, or None."""
    emitter = current()
    properties = {
        "intrin": emitter.attribute(f"llvm.nvvm.{name}"),
        "op_bundle_sizes": emitter.integers([], 32),
        "operandSegmentSizes": emitter.integers([len(operands), 0], 32),
    }
    op = emitter.op("llvm.call_intrinsic", list(operands), list(results), properties=properties)
    return op.results[0] if results else None


def create(
    op_class: type[Operation],
    operands: Sequence[Any] = (),
    results: Sequence[Any] = (),
    attributes: Mapping[str, Any] | None = None,
) -> Operation:
    """An operation of the dialect `fly_nvvm`."""
    builder = current().builder
    builder.location = user_location()
    return builder.create(op_class, list(operands), list(results), attributes=dict(attributes or {}))


def int32(name: str, parameter: str, value: IntLike) -> Any:
    """The SSA value of a 32-bit integer; wider ones are cut, as addresses and counts of elements may be."""
    found = as_numeric(value)
    if not isinstance(found, Numeric) or found.is_float:
        raise FrontendError(f"{parameter} of fx.nvvm.{name} is an integer, found {value!r}")
    return Int32(found).ir_value()


def immediate(name: str, parameter: str, value: IntLike, least: int, most: int, step: int = 1) -> int:
    """A number that is part of the instruction: known while tracing, from `least` to `most` in steps of `step`."""
    found = as_numeric(value)
    if found.is_static and not found.is_float and least <= int(found.value) <= most and int(found.value) % step == 0:
        return int(found.value)
    steps = f" that is a multiple of {step}" if step > 1 else ""
    raise FrontendError(
        f"{parameter} of fx.nvvm.{name} is a number from {least} to {most}{steps}, known while tracing; found {value!r}"
    )


def shared_address(name: str, memory: SharedMemory) -> Any:
    """The 32-bit address in shared memory of a pointer or of a tensor's first element, as an SSA value."""
    return Int32(ptrtoint(shared_pointer(name, memory))).ir_value()


def barrier_address(name: str, barrier: SharedMemory) -> Any:
    """The address of a barrier, which has 64 bits in shared memory."""
    pointer = shared_pointer(name, barrier)
    if pointer.dtype is None or pointer.dtype.width != _BARRIER_BITS:
        raise FrontendError(
            f"fx.nvvm.{name} takes a pointer to a barrier, 64 bits of shared memory, found {barrier!r}; "
            "barriers = fx.SharedAllocator().allocate(fx.Array[fx.Int64, n]).ptr gives n of them"
        )
    return Int32(ptrtoint(pointer)).ir_value()


def shared_pointer(name: str, memory: SharedMemory) -> Pointer:
    """The pointer of a pointer, storage or tensor, which is in shared memory."""
    from flydsl.backend.ir import SHARED  # with the dialect, on first use

    found: Any = memory
    if isinstance(memory, Storage):
        found = memory.ptr
    elif isinstance(memory, Tensor) and memory.has_storage:
        found = get_iter(memory)
    if not isinstance(found, Pointer) or found.address_space != SHARED:
        raise FrontendError(
            f"fx.nvvm.{name} takes a pointer to shared memory, or a tensor in it, found {memory!r}; "
            "fx.SharedAllocator().allocate(...) gives such memory"
        )
    return found
