"""Copies and matrix products, whole or one atom call at a time; only atoms of one thread are known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation

import flydsl.layout as fl
from flydsl.base.errors import IRError
from flydsl.ir.fly.attributes import as_python
from flydsl.ir.fly.types import CopyAtomType, MmaAtomType, UniversalCopyType, UniversalFMAType
from flydsl.ir.interpret.handler import Handler, State
from flydsl.ir.interpret.memory import POISON, round_to
from flydsl.ir.interpret.tensor import Tensor

__all__ = ["HANDLERS"]


def _copy(state: State, op: Operation, operands: list[Any]) -> list[Any]:
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


def _copy_ssa(state: State, op: Operation, operands: list[Any]) -> list[Any]:
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


def _gemm(state: State, op: Operation, operands: list[Any]) -> list[Any]:
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


def _mma(state: State, op: Operation, operands: list[Any]) -> list[Any]:
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


HANDLERS: Mapping[str, Handler] = {
    "fly.copy": _copy,
    "fly.copy_atom_call": _copy,
    "fly.copy_atom_call_ssa": _copy_ssa,
    "fly.gemm": _gemm,
    "fly.mma_atom_call": _mma,
    "fly.mma_atom_call_ssa": _mma,
}
