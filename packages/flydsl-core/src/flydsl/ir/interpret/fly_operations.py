"""Fly operations: layouts are evaluated on integers, tensors accessed element by element.

Covers modules before and after lowering, so that a pass is right when both do the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation

import flydsl.layout as fl
from flydsl.base.errors import IRError, OutOfBoundsError
from flydsl.ir.fly import views
from flydsl.ir.fly.attributes import SHARED, as_python
from flydsl.ir.fly.element import element_bytes
from flydsl.ir.fly.infer import ALGEBRA, algebra_arguments
from flydsl.ir.fly.types import CoordTensorType, IntTupleType, MemRefType, PayloadType, PointerType
from flydsl.ir.interpret.handler import Action, Handler
from flydsl.ir.interpret.known import known, maker, number
from flydsl.ir.interpret.memory import Address, Memory, allocate
from flydsl.ir.interpret.poison import defined
from flydsl.ir.interpret.races import Shadow
from flydsl.ir.interpret.tensor import Tensor, moved
from flydsl.ir.interpret.thread import Block, Thread

_PAGE = 1024  # what every target gives the start of shared memory


def _tuple(op: Operation) -> Action:
    """The result's type with the operands in place of its dynamic leaves."""
    type_ = op.results[0].type
    assert isinstance(type_, IntTupleType)

    def fill(value: Any, leaves: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(fill(part, leaves) for part in value)
        if isinstance(value, fl.Basis):
            return fl.Basis(fill(value.value, leaves), value.path)
        return maker(value)(next(leaves)) if isinstance(value, fl.Dyn) else value

    pattern = type_.value
    return lambda thread, *leaves: fill(pattern, iter(leaves))


def _static(op: Operation) -> Action:
    type_ = op.results[0].type
    value: Any = type_.value if isinstance(type_, PayloadType) else type_
    if isinstance(type_, CoordTensorType):
        value = Tensor(type_.base, type_.layout)
    return lambda thread: value


def _algebra(op: Operation) -> Action:
    """Answers are remembered: threads of other blocks ask the same again."""
    if op.name == "fly.slice" and isinstance(op.operands[0].type, MemRefType | CoordTensorType):
        sliced = _remembered(views.sliced)
        return lambda thread, tensor, coord: tensor.moved(*sliced(tensor.layout, coord))
    function = ALGEBRA[op.name]
    extra = algebra_arguments(op.name, {**op.properties, **op.attributes})
    evaluate = _remembered(lambda *values: function(*values, *extra))
    if isinstance(op.results[0].type, MemRefType | CoordTensorType):
        return lambda thread, tensor, *others: Tensor(tensor.iter, evaluate(tensor.layout, *others))
    if any(isinstance(operand.type, MemRefType | CoordTensorType) for operand in op.operands):
        return lambda thread, *values: evaluate(*[getattr(value, "layout", value) for value in values])
    if op.name in ("fly.elem_less", "fly.equal"):
        return lambda thread, *values: int(evaluate(*values))
    return lambda thread, *values: evaluate(*values)


def _remembered(function: Callable[..., Any]) -> Callable[..., Any]:
    return lru_cache(maxsize=4096)(function)


def _leaves(op: Operation) -> Action:
    pattern = op.operands[0].type
    assert isinstance(pattern, IntTupleType)
    kinds = _flat(pattern.value)
    wanted = [not as_python(op.attributes["dynamicOnly"]) or _is_dyn(kind) for kind in kinds]

    def leaves(thread: Thread, value: Any) -> Any:
        found = tuple(number(leaf) for leaf, keep in zip(_flat(value), wanted, strict=True) if keep)
        return found if len(found) != 1 else found[0]

    return leaves


def _flat(value: Any) -> tuple[Any, ...]:
    flat = fl.flatten(value)
    return flat if isinstance(flat, tuple) else (flat,)


def _is_dyn(kind: Any) -> bool:
    return isinstance(kind, fl.Dyn) or (isinstance(kind, fl.Basis) and isinstance(kind.value, fl.Dyn))


def _scalar(op: Operation) -> Action:
    def scalar(thread: Thread, value: Any) -> Any:
        while isinstance(value, tuple):
            (value,) = value
        return number(value)

    return scalar


def _partition(which: Any) -> Handler:
    def handler(op: Operation) -> Action:
        partitioned = _remembered(lambda tiled, layout, index: views.copy_partitioned(tiled, layout, index, which))
        return lambda thread, tiled, tensor, index: tensor.moved(*partitioned(tiled, tensor.layout, index))

    return handler


def _retile(op: Operation) -> Action:
    retiled = _remembered(views.copy_retiled)
    return lambda thread, tiled, tensor: Tensor(tensor.iter, retiled(tiled, tensor.layout))


def _mma_partition(op: Operation) -> Action:
    operand: Any = as_python(op.attributes["operand_id"])
    partitioned = _remembered(lambda *values: views.mma_partitioned(operand, *values))
    return lambda thread, tiled, tensor, index: tensor.moved(*partitioned(tiled, tensor.layout, index))


def _mma_partition_shape(op: Operation) -> Action:
    operand: Any = as_python(op.attributes["operand_id"])
    return lambda thread, tiled, shape: views.mma_partition_shape(operand, tiled, shape)


def _fragment(op: Operation) -> Action:
    type_ = op.results[0].type
    assert isinstance(type_, MemRefType)
    count, element, layout = fl.cosize(type_.layout), type_.element, type_.layout
    assert isinstance(count, int)
    name = f"a register tensor {layout}"
    return lambda thread, *operands: Tensor(allocate(element, count, name), layout)


def _make_ptr(op: Operation) -> Action:
    type_, attributes = op.results[0].type, op.attributes.get("dictAttrs")
    if not isinstance(type_, PointerType) or attributes is None or "allocSize" not in attributes.data:  # type: ignore[attr-defined]
        raise IRError(f"{op.name} of {type_} is a target's own pointer and cannot be interpreted")
    count: Any = as_python(attributes.data["allocSize"])  # type: ignore[attr-defined]
    element = type_.element
    if type_.space != SHARED:
        return lambda thread, *operands: allocate(element, count)
    size = count * element_bytes(element)

    def shared(thread: Thread, *operands: Any) -> Address:
        memory = shared_memory(thread.block, op, size)
        return Address(memory, memory.base, element)

    return shared


def _dynamic_shared(op: Operation) -> Action:
    element = op.results[0].type.element  # type: ignore[attr-defined]

    def shared(thread: Thread) -> Address:
        memory = thread.block.shared.get(None)
        if memory is None:
            raise OutOfBoundsError("uses dynamic shared memory, of which the launch gives none; pass smem=")
        return Address(memory, memory.base, element)

    return shared


def shared_memory(block: Block, op: Operation | None, size: int) -> Memory:
    """The shared memory of a block for one allocation (None: the dynamic one)."""
    memory = block.shared.get(op)
    if memory is None:
        block.take_shared(size)
        name = "dynamic shared memory" if op is None else "shared memory"
        memory = Memory(bytearray(size), block.next_address, name=name, fresh=True, shadow=Shadow())
        block.shared[op] = memory
        block.next_address += -(-max(size, 1) // _PAGE) * _PAGE
    return memory


def _int_to_ptr(op: Operation) -> Action:
    type_ = op.results[0].type
    assert isinstance(type_, PointerType)

    def pointer(thread: Thread, address: Any) -> Address:
        number = defined(address, "an address is decided")
        return Address(thread.block.memory_at(number), number, type_.element, type_.swizzle)

    return pointer


def _recast(op: Operation) -> Action:
    element: Attribute = op.results[0].type.element  # type: ignore[attr-defined]
    return lambda thread, address: address.as_element(element)


def _decomposition(op: Operation) -> Action:
    type_: Any = op.operands[0].type

    def decompose(thread: Thread, tensor: Tensor) -> Tensor:
        offset, layout, swizzle = views.decomposed(tensor.layout, type_)
        plain = tensor.moved(offset, layout)
        return plain if swizzle is None else Tensor(plain.iter.swizzled(swizzle), layout)

    return decompose


def _memref_load(op: Operation) -> Action:
    if isinstance(op.operands[0].type, CoordTensorType):
        return lambda thread, tensor, coord: fl.int_tuple_add(tensor.iter, tensor.layout(coord))
    return lambda thread, tensor, coord: tensor.load(coord, thread, op)


def _memref_store(op: Operation) -> Action:
    return lambda thread, value, tensor, coord: tensor.store(value, coord, thread, op)


def _load_vec(op: Operation) -> Action:
    if isinstance(op.operands[0].type, CoordTensorType):
        return lambda thread, tensor: [int(moved(tensor.iter, tensor.layout(n))) for n in range(tensor.size)]
    return lambda thread, tensor: tensor.values(thread, op)


def _store_vec(op: Operation) -> Action:
    def store(thread: Thread, values: Any, tensor: Tensor) -> None:
        for address, value in zip(tensor.addresses(), values, strict=True):
            address.store(value, address.element, thread, op)

    return store


def _ptr_load(op: Operation) -> Action:
    type_ = op.results[0].type
    return lambda thread, address: address.load(type_, thread, op)


def _ptr_store(op: Operation) -> Action:
    type_ = op.operands[0].type
    if isinstance(type_, VectorType) and len(type_.get_shape()) != 1:
        type_ = VectorType(type_.element_type, [type_.element_count()])
    return lambda thread, value, address: address.store(value, type_, thread, op)


def _type(op: Operation) -> Action:
    type_ = op.results[0].type
    return lambda thread, *operands: type_


def _assume(op: Operation) -> Action:
    """The second operand with the promises of the result's type."""
    type_ = op.results[0].type
    if not isinstance(type_, IntTupleType):
        return lambda thread, first, second: second

    def promise(value: Any, pattern: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(promise(part, kind) for part, kind in zip(value, pattern, strict=True))
        return known(int(value), pattern.width, pattern.div) if isinstance(pattern, fl.Dyn) else value

    pattern = type_.value
    return lambda thread, first, second: promise(second, pattern)


_ATOM_TYPES = ("make_copy_atom", "make_mma_atom", "make_tiled_copy", "make_tiled_mma", "get_copy_atom", "get_mma_atom")

HANDLERS: Mapping[str, Handler] = {
    **dict.fromkeys(ALGEBRA, _algebra),
    **{f"fly.{name}": _tuple for name in ("make_int_tuple", "make_shape", "make_stride", "make_coord")},
    **{f"fly.{name}": _type for name in _ATOM_TYPES},
    **{f"fly.{name}": _fragment for name in ("make_fragment_like", "memref.alloca", "mma.make_fragment")},
    "fly.static": _static,
    "fly.assume": _assume,
    "fly.get_scalar": _scalar,
    "fly.get_leaves": _leaves,
    "fly.make_view": lambda op: lambda thread, iterator, layout: Tensor(iterator, layout),
    "fly.get_iter": lambda op: lambda thread, tensor: tensor.iter,
    "fly.get_layout": lambda op: lambda thread, tensor: tensor.layout,
    "fly.add_offset": lambda op: lambda thread, iterator, offset: moved(iterator, offset),
    "fly.recast_iter": _recast,
    "fly.apply_swizzle": lambda op: lambda thread, address, swizzle: address.swizzled(swizzle),
    "fly.decomposition": _decomposition,
    "fly.make_ptr": _make_ptr,
    "fly.get_dyn_shared": _dynamic_shared,
    "fly.inttoptr": _int_to_ptr,
    "fly.ptrtoint": lambda op: lambda thread, address: address.byte,
    "fly.to_llvm_ptr": lambda op: lambda thread, address: Address(address.memory, address.target, address.element),
    "fly.extract_aligned_pointer_as_index": lambda op: lambda thread, tensor: tensor.iter.byte,
    "fly.ptr.load": _ptr_load,
    "fly.ptr.store": _ptr_store,
    "fly.memref.load": _memref_load,
    "fly.memref.store": _memref_store,
    "fly.memref.load_vec": _load_vec,
    "fly.memref.store_vec": _store_vec,
    "fly.tiled_copy.partition_src": _partition("src"),
    "fly.tiled_copy.partition_dst": _partition("dst"),
    "fly.tiled_copy.retile": _retile,
    "fly.tiled_mma.partition": _mma_partition,
    "fly.tiled_mma.partition_shape": _mma_partition_shape,
}
"""Handlers by operation; to know one more operation, add its function here."""
