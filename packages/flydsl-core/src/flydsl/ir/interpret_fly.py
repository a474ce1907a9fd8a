"""Fly operations in, their effect out: layouts are evaluated on integers, tensors accessed element by element.

Covers modules before and after lowering, so that a pass is right when both do the same. Only atoms of one thread are
known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation

import flydsl.layout as fl
from flydsl.base.errors import IRError
from flydsl.ir.fly import views
from flydsl.ir.fly.attributes import as_python
from flydsl.ir.fly.element import element_bytes
from flydsl.ir.fly.infer import ALGEBRA, evaluate
from flydsl.ir.fly.types import (
    CoordTensorType,
    CopyAtomType,
    IntTupleType,
    MemRefType,
    MmaAtomType,
    PayloadType,
    PointerType,
    UniversalCopyType,
    UniversalFMAType,
)
from flydsl.ir.interpret import POISON, Address, Interpreter, Memory, round_to

__all__ = ["HANDLERS", "Tensor"]

Handler = Callable[[Interpreter, Operation, list[Any]], list[Any]]


@dataclass(frozen=True)
class Tensor:
    """An address or a coordinate, and a layout of integers."""

    iter: Any
    layout: Any

    def moved(self, offset: Any, layout: Any) -> Tensor:
        return Tensor(_moved(self.iter, offset), layout)

    def at(self, coord: Any) -> Address:
        """The address of an element."""
        found = _moved(self.iter, self.layout(coord))
        assert isinstance(found, Address)
        return found

    def load(self, coord: Any) -> Any:
        address = self.at(coord)
        return address.load(address.element)

    def store(self, value: Any, coord: Any) -> None:
        address = self.at(coord)
        address.store(value, address.element)

    @property
    def size(self) -> int:
        count = fl.size(self.layout)
        assert isinstance(count, int)
        return count


def _moved(iterator: Any, offset: Any) -> Any:
    if not isinstance(iterator, Address):
        return fl.int_tuple_add(iterator, offset)
    while isinstance(offset, tuple):
        (offset,) = offset
    return iterator.moved(offset)


def _tuple(interpreter: Interpreter, op: Operation, operands: list[Any]) -> list[Any]:
    """The result's type with the operands in place of its dynamic leaves."""
    leaves = iter(operands)

    def fill(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(fill(part) for part in value)
        if isinstance(value, fl.Basis):
            return fl.Basis(fill(value.value), value.path)
        return next(leaves) if isinstance(value, fl.Dyn) else value

    type_ = op.results[0].type
    assert isinstance(type_, IntTupleType)
    return [fill(type_.value)]


def _static(interpreter: Interpreter, op: Operation, operands: list[Any]) -> list[Any]:
    type_ = op.results[0].type
    if isinstance(type_, PayloadType):
        return [type_.value]
    return [Tensor(type_.base, type_.layout) if isinstance(type_, CoordTensorType) else type_]


def _algebra(interpreter: Interpreter, op: Operation, operands: list[Any]) -> list[Any]:
    values = [value.layout if isinstance(value, Tensor) else value for value in operands]
    if isinstance(operands[0], Tensor) and op.name == "fly.slice":
        return [operands[0].moved(*views.sliced(values[0], values[1]))]
    result = evaluate(op.name, values, {**op.properties, **op.attributes})
    if isinstance(op.results[0].type, MemRefType | CoordTensorType):
        return [Tensor(operands[0].iter, result)]
    return [int(result) if isinstance(result, bool) else result]


def _leaves(interpreter: Interpreter, op: Operation, operands: list[Any]) -> list[Any]:
    flat = fl.flatten(operands[0])
    values = flat if isinstance(flat, tuple) else (flat,)
    if not as_python(op.attributes["dynamicOnly"]):
        return list(values)
    pattern = op.operands[0].type
    assert isinstance(pattern, IntTupleType)
    kinds = fl.flatten(pattern.value)
    return [v for v, kind in zip(values, kinds if isinstance(kinds, tuple) else (kinds,), strict=True) if _is_dyn(kind)]


def _is_dyn(kind: Any) -> bool:
    return isinstance(kind, fl.Dyn) or (isinstance(kind, fl.Basis) and isinstance(kind.value, fl.Dyn))


def _scalar(interpreter: Interpreter, op: Operation, operands: list[Any]) -> list[Any]:
    value = operands[0]
    while isinstance(value, tuple):
        (value,) = value
    return [value]


def _partition(which: Any) -> Handler:
    def apply(interpreter: Interpreter, op: Operation, operands: list[Any]) -> list[Any]:
        tiled, tensor, thread = operands
        return [tensor.moved(*views.copy_partitioned(tiled, tensor.layout, thread, which))]

    return apply


def _retile(interpreter: Interpreter, op: Operation, operands: list[Any]) -> list[Any]:
    tiled, tensor = operands
    return [Tensor(tensor.iter, views.copy_retiled(tiled, tensor.layout))]


def _mma_partition(interpreter: Interpreter, op: Operation, operands: list[Any]) -> list[Any]:
    tiled, tensor, thread = operands
    operand: Any = as_python(op.attributes["operand_id"])
    return [tensor.moved(*views.mma_partitioned(operand, tiled, tensor.layout, thread))]


def _allocate(element: Attribute, count: int) -> Address:
    size = count * element_bytes(element)
    return Address(Memory(bytearray(size), set(range(size))), 0, element)


def _fragment(interpreter: Interpreter, op: Operation, operands: list[Any]) -> list[Any]:
    type_ = op.results[0].type
    assert isinstance(type_, MemRefType)
    count = fl.cosize(type_.layout)
    assert isinstance(count, int)
    return [Tensor(_allocate(type_.element, count), type_.layout)]


def _make_ptr(interpreter: Interpreter, op: Operation, operands: list[Any]) -> list[Any]:
    type_, attributes = op.results[0].type, op.attributes.get("dictAttrs")
    if not isinstance(type_, PointerType) or attributes is None:
        raise IRError(f"{op.name} of {type_} cannot be interpreted")
    count: Any = as_python(attributes.data["allocSize"])  # type: ignore[attr-defined]
    return [_allocate(type_.element, count)]


def _recast(interpreter: Interpreter, op: Operation, operands: list[Any]) -> list[Any]:
    type_ = op.results[0].type
    assert isinstance(type_, PointerType)
    return [replace(operands[0], element=type_.element)]


def _decomposition(interpreter: Interpreter, op: Operation, operands: list[Any]) -> list[Any]:
    (tensor,) = operands
    if not isinstance(tensor.layout, fl.ComposedLayout):
        return [tensor]
    swizzle = views.decomposed(op.operands[0].type)[2]  # type: ignore[arg-type]
    moved = tensor.moved(tensor.layout.offset, tensor.layout.outer)
    return [Tensor(replace(moved.iter, swizzle=swizzle), moved.layout)]


def _memref_load(interpreter: Interpreter, op: Operation, operands: list[Any]) -> list[Any]:
    tensor, coord = operands
    if isinstance(tensor.iter, Address):
        return [tensor.load(coord)]
    return [fl.int_tuple_add(tensor.iter, tensor.layout(coord))]


def _memref_store(interpreter: Interpreter, op: Operation, operands: list[Any]) -> list[Any]:
    value, tensor, coord = operands
    tensor.store(value, coord)
    return []


def _load_vec(interpreter: Interpreter, op: Operation, operands: list[Any]) -> list[Any]:
    (tensor,) = operands
    return [[tensor.load(index) for index in range(tensor.size)]]


def _store_vec(interpreter: Interpreter, op: Operation, operands: list[Any]) -> list[Any]:
    values, tensor = operands
    for index, value in enumerate(values):
        tensor.store(value, index)
    return []


def _ptr_load(interpreter: Interpreter, op: Operation, operands: list[Any]) -> list[Any]:
    return [operands[0].load(op.results[0].type)]


def _ptr_store(interpreter: Interpreter, op: Operation, operands: list[Any]) -> list[Any]:
    operands[1].store(operands[0], op.operands[0].type)
    return []


def _copy(interpreter: Interpreter, op: Operation, operands: list[Any]) -> list[Any]:
    """Element by element; a predicate has a flag for each of one or more equal parts of mode 0."""
    _, src, dst, *pred = operands
    ranks = fl.rank(src.layout.shape), fl.rank(dst.layout.shape)
    if ranks[0] != ranks[1] or src.size != dst.size:
        raise IRError(f"cannot copy {src.layout} to {dst.layout}")
    values = fl.size(src.layout[0]) if ranks[0] > 1 else src.size
    assert isinstance(values, int)
    flags = pred[0].size * values // src.size if pred else 0
    for index in range(src.size):
        if not pred or pred[0].load(index // values * flags + index % values * flags // values):
            dst.store(src.load(index), index)
    return []


def _copy_ssa(interpreter: Interpreter, op: Operation, operands: list[Any]) -> list[Any]:
    sizes: Any = as_python(op.attributes["operandSegmentSizes"])
    _check_atom(op.operands[0].type, UniversalCopyType)
    groups, start = [], 0
    for size in sizes:
        groups.append(operands[start : start + size])
        start += size
    (src,), dst, pred = groups[1], groups[2], groups[3]
    if pred and not (pred[0].load(0) if isinstance(pred[0], Tensor) else pred[0]):
        return dst if op.results else []
    value = [src.load(i) for i in range(src.size)] if isinstance(src, Tensor) else src
    if op.results:
        scalar = not isinstance(op.results[0].type, VectorType)
        return [value[0] if scalar and isinstance(value, list) else value]
    for index, part in enumerate(value if isinstance(value, list) else [value]):
        dst[0].store(part, index)
    return []


def _gemm(interpreter: Interpreter, op: Operation, operands: list[Any]) -> list[Any]:
    atom, d, a, b, c = operands[:5]
    element = _check_atom(getattr(atom, "atom", atom), UniversalFMAType).element
    m, n = (fl.size(d.layout[mode]) for mode in (1, 2))
    k = fl.size(a.layout[2]) if fl.rank(a.layout.shape) > 2 else 1
    for i in range(m):  # type: ignore[arg-type]
        for j in range(n):  # type: ignore[arg-type]
            total = c.load((0, i, j))
            for step in range(k):  # type: ignore[arg-type]
                tail = (step,) if fl.rank(a.layout.shape) > 2 else ()
                total = _fma(a.load((0, i, *tail)), b.load((0, j, *tail)), total, element)
            d.store(total, (0, i, j))
    return []


def _mma(interpreter: Interpreter, op: Operation, operands: list[Any]) -> list[Any]:
    element = _check_atom(op.operands[0].type, UniversalFMAType).element
    values = [value.load(0) if isinstance(value, Tensor) else value for value in operands[-3:]]
    result = _fma(values[0], values[1], values[2], element)
    if op.results:
        return [result]
    operands[1].store(result, 0)
    return []


def _fma(a: Any, b: Any, c: Any, element: Attribute) -> Any:
    return POISON if POISON in (a, b, c) else round_to(a * b + c, element)


def _check_atom(type_: Any, kind: Any) -> Any:
    if not isinstance(type_, CopyAtomType | MmaAtomType) or not isinstance(type_.op, kind):
        raise IRError(f"the atom {type_} cannot be interpreted")
    return type_.op


def _type(interpreter: Interpreter, op: Operation, operands: list[Any]) -> list[Any]:
    return [op.results[0].type]


HANDLERS: Mapping[str, Handler] = {
    **dict.fromkeys(ALGEBRA, _algebra),
    **{f"fly.{name}": _tuple for name in ("make_int_tuple", "make_shape", "make_stride", "make_coord")},
    **{f"fly.{name}": _type for name in ("make_copy_atom", "make_mma_atom", "make_tiled_copy", "make_tiled_mma")},
    **{f"fly.{name}": _type for name in ("get_copy_atom", "get_mma_atom")},
    **{f"fly.{name}": _fragment for name in ("make_fragment_like", "memref.alloca", "mma.make_fragment")},
    "fly.static": _static,
    "fly.get_scalar": _scalar,
    "fly.get_leaves": _leaves,
    "fly.make_view": lambda i, op, v: [Tensor(v[0], v[1])],
    "fly.get_iter": lambda i, op, v: [v[0].iter],
    "fly.get_layout": lambda i, op, v: [v[0].layout],
    "fly.add_offset": lambda i, op, v: [_moved(v[0], v[1])],
    "fly.recast_iter": _recast,
    "fly.apply_swizzle": lambda i, op, v: [replace(v[0], swizzle=v[1])],
    "fly.decomposition": _decomposition,
    "fly.make_ptr": _make_ptr,
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
    "fly.copy": _copy,
    "fly.copy_atom_call": _copy,
    "fly.copy_atom_call_ssa": _copy_ssa,
    "fly.gemm": _gemm,
    "fly.mma_atom_call": _mma,
    "fly.mma_atom_call_ssa": _mma,
}
