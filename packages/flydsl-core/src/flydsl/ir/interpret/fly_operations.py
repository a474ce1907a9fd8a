"""Fly operations in, their effect out: layouts are evaluated on integers, tensors accessed element by element.

Covers modules before and after lowering, so that a pass is right when both do the same. Only atoms of one thread are
known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from xdsl.ir import Operation

import flydsl.layout as fl
from flydsl.base.errors import IRError
from flydsl.ir.fly import views
from flydsl.ir.fly.attributes import as_python
from flydsl.ir.fly.infer import ALGEBRA, evaluate
from flydsl.ir.fly.types import (
    CoordTensorType,
    IntTupleType,
    MemRefType,
    PayloadType,
    PointerType,
)
from flydsl.ir.interpret import fly_atoms
from flydsl.ir.interpret.handler import Handler, State
from flydsl.ir.interpret.memory import Address
from flydsl.ir.interpret.tensor import Tensor, allocate, moved

__all__ = ["HANDLERS"]


def _tuple(state: State, op: Operation, operands: list[Any]) -> list[Any]:
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


def _static(state: State, op: Operation, operands: list[Any]) -> list[Any]:
    type_ = op.results[0].type
    if isinstance(type_, PayloadType):
        return [type_.value]
    return [Tensor(type_.base, type_.layout) if isinstance(type_, CoordTensorType) else type_]


def _algebra(state: State, op: Operation, operands: list[Any]) -> list[Any]:
    values = [value.layout if isinstance(value, Tensor) else value for value in operands]
    if isinstance(operands[0], Tensor) and op.name == "fly.slice":
        return [operands[0].moved(*views.sliced(values[0], values[1]))]
    result = evaluate(op.name, values, {**op.properties, **op.attributes})
    if isinstance(op.results[0].type, MemRefType | CoordTensorType):
        return [Tensor(operands[0].iter, result)]
    return [int(result) if isinstance(result, bool) else result]


def _leaves(state: State, op: Operation, operands: list[Any]) -> list[Any]:
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


def _scalar(state: State, op: Operation, operands: list[Any]) -> list[Any]:
    value = operands[0]
    while isinstance(value, tuple):
        (value,) = value
    return [value]


def _partition(which: Any) -> Handler:
    def apply(state: State, op: Operation, operands: list[Any]) -> list[Any]:
        tiled, tensor, thread = operands
        return [tensor.moved(*views.copy_partitioned(tiled, tensor.layout, thread, which))]

    return apply


def _retile(state: State, op: Operation, operands: list[Any]) -> list[Any]:
    tiled, tensor = operands
    return [Tensor(tensor.iter, views.copy_retiled(tiled, tensor.layout))]


def _mma_partition(state: State, op: Operation, operands: list[Any]) -> list[Any]:
    tiled, tensor, thread = operands
    operand: Any = as_python(op.attributes["operand_id"])
    return [tensor.moved(*views.mma_partitioned(operand, tiled, tensor.layout, thread))]


def _fragment(state: State, op: Operation, operands: list[Any]) -> list[Any]:
    type_ = op.results[0].type
    assert isinstance(type_, MemRefType)
    count = fl.cosize(type_.layout)
    assert isinstance(count, int)
    return [Tensor(allocate(type_.element, count), type_.layout)]


def _make_ptr(state: State, op: Operation, operands: list[Any]) -> list[Any]:
    type_, attributes = op.results[0].type, op.attributes.get("dictAttrs")
    if not isinstance(type_, PointerType) or attributes is None:
        raise IRError(f"{op.name} of {type_} cannot be interpreted")
    count: Any = as_python(attributes.data["allocSize"])  # type: ignore[attr-defined]
    return [allocate(type_.element, count)]


def _recast(state: State, op: Operation, operands: list[Any]) -> list[Any]:
    type_ = op.results[0].type
    assert isinstance(type_, PointerType)
    return [replace(operands[0], element=type_.element)]


def _decomposition(state: State, op: Operation, operands: list[Any]) -> list[Any]:
    (tensor,) = operands
    if not isinstance(tensor.layout, fl.ComposedLayout):
        return [tensor]
    swizzle = views.decomposed(op.operands[0].type)[2]  # type: ignore[arg-type]
    plain = tensor.moved(tensor.layout.offset, tensor.layout.outer)
    return [Tensor(replace(plain.iter, swizzle=swizzle), plain.layout)]


def _memref_load(state: State, op: Operation, operands: list[Any]) -> list[Any]:
    tensor, coord = operands
    if isinstance(tensor.iter, Address):
        return [tensor.load(coord)]
    return [fl.int_tuple_add(tensor.iter, tensor.layout(coord))]


def _memref_store(state: State, op: Operation, operands: list[Any]) -> list[Any]:
    value, tensor, coord = operands
    tensor.store(value, coord)
    return []


def _load_vec(state: State, op: Operation, operands: list[Any]) -> list[Any]:
    (tensor,) = operands
    return [[tensor.load(index) for index in range(tensor.size)]]


def _store_vec(state: State, op: Operation, operands: list[Any]) -> list[Any]:
    values, tensor = operands
    for index, value in enumerate(values):
        tensor.store(value, index)
    return []


def _ptr_load(state: State, op: Operation, operands: list[Any]) -> list[Any]:
    return [operands[0].load(op.results[0].type)]


def _ptr_store(state: State, op: Operation, operands: list[Any]) -> list[Any]:
    operands[1].store(operands[0], op.operands[0].type)
    return []


def _type(state: State, op: Operation, operands: list[Any]) -> list[Any]:
    return [op.results[0].type]


HANDLERS: Mapping[str, Handler] = {
    **fly_atoms.HANDLERS,
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
    "fly.add_offset": lambda i, op, v: [moved(v[0], v[1])],
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
}
