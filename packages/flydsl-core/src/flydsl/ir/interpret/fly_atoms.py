"""Copies and matrix products, whole or one atom call at a time; only atoms of one thread are known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from xdsl.dialects.builtin import IntegerType, Signedness, VectorType
from xdsl.ir import Attribute, Operation

import flydsl.layout as fl
from flydsl.base.errors import IRError
from flydsl.ir.fly.atoms import UniversalAtomicType, UniversalCopyType, UniversalFMAType
from flydsl.ir.fly.attributes import AtomicOp, as_python
from flydsl.ir.fly.traversal import traversal
from flydsl.ir.fly.types import CopyAtomType, MmaAtomType, TiledCopyType, TiledMmaType
from flydsl.ir.interpret.atomic_operations import combine, update
from flydsl.ir.interpret.handler import Action, Handler, guarded
from flydsl.ir.interpret.math_operations import multiply_add
from flydsl.ir.interpret.memory import Address
from flydsl.ir.interpret.numbers import is_float
from flydsl.ir.interpret.tensor import Tensor
from flydsl.ir.interpret.thread import Thread

_KINDS = {
    AtomicOp.ADD: ("add", "fadd"),
    AtomicOp.MAX: ("max", "fmax"),
    AtomicOp.MIN: ("min", "fmin"),
    AtomicOp.AND: ("and", ""),
    AtomicOp.OR: ("or", ""),
    AtomicOp.INC: ("uinc_wrap", ""),
    AtomicOp.DEC: ("udec_wrap", ""),
}


def _copy(op: Operation) -> Action:
    """Element by element; a predicate has a flag for each of one or more equal parts of mode 0."""
    move = _mover(op)

    def copy(thread: Thread, atom: Any, src: Tensor, dst: Tensor, pred: Tensor | None = None) -> None:
        sources, targets = src.addresses(), dst.addresses()
        if fl.rank(src.layout.shape) != fl.rank(dst.layout.shape) or len(sources) != len(targets):
            raise IRError(f"cannot copy {src.layout} to {dst.layout}")
        flags = _flags(pred, src, thread, op) if pred is not None else None
        for index, (source, target) in enumerate(zip(sources, targets, strict=True)):
            if flags is None or flags(index):
                move(thread, source, target)

    return copy


def _mover(op: Operation) -> Callable[[Thread, Address, Address], None]:
    """What the operation's atom does with one element."""
    atom = _atom(op.operands[0].type)
    if isinstance(atom, UniversalCopyType):

        def move(thread: Thread, source: Address, target: Address) -> None:
            target.store(source.load(source.element, thread, op), source.element, thread, op)

        return move
    if isinstance(atom, UniversalAtomicType):
        type_ = atom.value_type
        function = combine(_kind(atom.op.data, type_), type_)

        def add(thread: Thread, source: Address, target: Address) -> None:
            update(thread, op, target, source.load(type_, thread, op), type_, function)

        return add
    raise _unknown(atom)


def _kind(op: AtomicOp, type_: Attribute) -> str:
    """The read-modify-write of an atomic copy of numbers of a type; that of unsigned ones says so: `ui32`."""
    plain, floating = _KINDS[op]
    if is_float(type_):
        return floating
    unsigned = isinstance(type_, IntegerType) and type_.signedness.data is Signedness.UNSIGNED
    return f"u{plain}" if unsigned and plain in ("max", "min") else plain


def _flags(pred: Tensor, src: Tensor, thread: Thread, op: Operation) -> Callable[[int], bool]:
    """Whether the element of an index is copied."""
    values = int(fl.size(src.layout[0])) if fl.rank(src.layout.shape) > 1 else src.size  # type: ignore[arg-type]
    places = pred.addresses()
    count = max(1, len(places) * values // max(1, src.size))
    known: dict[int, Any] = {}

    def flag(index: int) -> bool:
        place = index // values * count + index % values * count // values
        if place not in known:
            address = places[place]
            known[place] = address.load(address.element, thread, op)
        return bool(known[place])

    return flag


def _copy_ssa(op: Operation) -> Action:
    sizes: Any = as_python(op.attributes["operandSegmentSizes"])
    if not isinstance(_atom(op.operands[0].type), UniversalCopyType):
        raise _unknown(_atom(op.operands[0].type))
    scalar = bool(op.results) and not isinstance(op.results[0].type, VectorType)

    def copy(thread: Thread, *operands: Any) -> Any:
        groups, start = [], 0
        for size in sizes:
            groups.append(operands[start : start + size])
            start += size
        (src,), dst, pred = groups[1], groups[2], groups[3]
        if pred and not (pred[0].load(0, thread, op) if isinstance(pred[0], Tensor) else pred[0]):
            return dst[0] if op.results else None
        value = src.values(thread, op) if isinstance(src, Tensor) else src
        if op.results:
            return value[0] if scalar and isinstance(value, list) else value
        parts = value if isinstance(value, list) else [value]
        for address, part in zip(dst[0].addresses(), parts, strict=True):
            address.store(part, address.element, thread, op)
        return None

    return copy


def _gemm(op: Operation) -> Action:
    """(V,M,N), (V,M[,K]), (V,N[,K]), (V,M,N): the first product of each (m, n) adds to c, the others to d."""
    multiply = guarded(multiply_add(_fma(op).element))
    order: Any = as_python(op.attributes["traversalOrder"]) if "traversalOrder" in op.attributes else None

    def gemm(thread: Thread, atom: Any, d: Tensor, a: Tensor, b: Tensor, c: Tensor, path: Any = None) -> None:
        if all(fl.rank(tensor.layout.shape) == 1 for tensor in (d, a, b, c)):
            d.store(multiply(*[tensor.load(0, thread, op) for tensor in (a, b, c)]), 0, thread, op)
            return
        m, n = (int(fl.size(d.layout[mode])) for mode in (1, 2))  # type: ignore[arg-type]
        deep = fl.rank(a.layout.shape) > 2
        k = int(fl.size(a.layout[2])) if deep else 1  # type: ignore[arg-type]
        begun = set()
        for i, j, step in _steps((m, n, k), order, path):
            tail = (step,) if deep else ()
            total = (d if (i, j) in begun else c).load((0, i, j), thread, op)
            begun.add((i, j))
            left, right = a.load((0, i, *tail), thread, op), b.load((0, j, *tail), thread, op)
            d.store(multiply(left, right, total), (0, i, j), thread, op)

    return gemm


def _steps(extents: Any, order: Any, layout: Any) -> Iterable[tuple[int, int, int]]:
    """The (m, n, k) of every product in order, by an order or by a layout from steps to places of (M, N, K)."""
    if layout is None:
        return traversal(extents, order)
    m, n, k = extents
    indexes = [layout(index) for index in range(m * n * k)]
    if sorted(indexes) != list(range(m * n * k)):
        raise IRError(f"fly.gemm: the traversal layout {layout} must visit each of {extents} once")
    return [(index % m, index // m % n, index // (m * n)) for index in indexes]


def _mma(op: Operation) -> Action:
    multiply = guarded(multiply_add(_fma(op).element))
    vector = bool(op.results) and isinstance(op.results[0].type, VectorType)
    inputs, target = (slice(3), 3) if op.name == "fly.mma_atom_call_ssa" else (slice(1, 4), 0)

    def mma(thread: Thread, atom: Any, *operands: Any) -> Any:
        values = [value.load(0, thread, op) if isinstance(value, Tensor) else value for value in operands[inputs]]
        result = multiply(*[value[0] if isinstance(value, list) else value for value in values])
        if op.results:
            return [result] if vector else result
        operands[target].store(result, 0, thread, op)
        return None

    return mma


def _fma(op: Operation) -> UniversalFMAType:
    atom = _atom(op.operands[0].type)
    if not isinstance(atom, UniversalFMAType):
        raise _unknown(atom)
    return atom


def _atom(type_: Attribute) -> Attribute:
    """The operation of an atom, tiled or not."""
    if isinstance(type_, TiledCopyType | TiledMmaType):
        type_ = type_.atom
    assert isinstance(type_, CopyAtomType | MmaAtomType)
    return type_.op


def _unknown(atom: Attribute) -> IRError:
    return IRError(
        f"the atom {atom} belongs to a target and cannot be interpreted; use a universal one, or run on the target"
    )


HANDLERS: Mapping[str, Handler] = {
    "fly.copy": _copy,
    "fly.copy_atom_call": _copy,
    "fly.copy_atom_call_ssa": _copy_ssa,
    "fly.gemm": _gemm,
    "fly.mma_atom_call": _mma,
    "fly.mma_atom_call_ssa": _mma,
}
