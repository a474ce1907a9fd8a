"""The pass `cpu-extrema`: minima and maxima with an operand that is never NaN, as a comparison and a choice.

`maxnumf` gives the other operand for a NaN, which takes x86 three instructions where any operand may be one. When `b`
is none, `a > b ? a : b` is the same, as the comparison is false for a NaN `a`, and is one instruction. The largest
element that a kernel has met is such a `b`: it starts as a constant, and a maximum with a number is a number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith, gpu, scf, vector
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, ModuleOp, i64
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.passes import ModulePass

from flydsl.backend.llvm import LLVMBuilder
from flydsl.backend.rewriting import erase, walk
from flydsl_cpu.lowering.vectors.scalars import extracted, lane_count

_GREATER, _LESS = 2, 4
"""Numbers of the predicates ogt and olt."""
_KINDS = {"maxnumf": _GREATER, "minnumf": _LESS}
_MAX_LANES = 16


@dataclass(frozen=True)
class CpuExtrema(ModulePass):
    """Rewrites what can be in every gpu.module; what combines the lanes of a wave stays for `cpu-unite-butterflies`."""

    name: ClassVar[str] = "cpu-extrema"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite `op`, in place."""
        for module in op.body.block.ops:
            if isinstance(module, gpu.ModuleOp) and (found := [op for op in walk(module) if _predicate(op)]):
                _rewrite(found, _Numbers(module))


def _rewrite(found: list[Operation], numbers: _Numbers) -> None:
    for op in found:
        known = next((value for value in _candidates(op) if numbers.has(value)), None)
        if known is None:
            continue
        build = LLVMBuilder.before_op(op)
        if isinstance(op, vector.ReductionOp):
            lanes = [extracted(build, op.vector, lane) for lane in range(lane_count(op.vector.type))]
        else:
            lanes = [value for value in op.operands if value is not known]
        for lane in lanes:
            known = _chosen(build, _predicate(op), lane, known)
        op.results[0].replace_all_uses_with(known)
        numbers.add(known)
        erase(op)


def _chosen(build: LLVMBuilder, predicate: int, value: SSAValue, known: SSAValue) -> SSAValue:
    """The maximum or minimum of a value and a number."""
    properties = {"predicate": IntegerAttr(predicate, i64)}
    better = build.value(arith.CmpfOp, (value, known), build.compare_mask(value.type), properties)
    return build.select(better, value, known)


def _predicate(op: Operation) -> int:
    """The comparison that an operation may become, 0 for others."""
    if isinstance(op, vector.ReductionOp):
        is_short = op.acc is not None and lane_count(op.vector.type) <= _MAX_LANES
        return _KINDS.get(op.kind.data.value, 0) if is_short else 0
    if not isinstance(op, arith.MaxnumfOp | arith.MinnumfOp) or any(map(_is_exchanged, op.operands)):
        return 0
    return _KINDS[op.name.removeprefix("arith.")]


def _is_exchanged(value: SSAValue) -> bool:
    return isinstance(value, OpResult) and value.op.name == "gpu.shuffle"


def _candidates(op: Operation) -> list[SSAValue]:
    """The operands of which one has to be a number."""
    if isinstance(op, vector.ReductionOp):
        return [op.acc] if op.acc is not None else []
    return list(op.operands) if op.operands[0] is not op.operands[1] else []


class _Numbers:
    """The values of kernels that are never NaN; what loops carry is taken for numbers until something else is met."""

    def __init__(self, module: gpu.ModuleOp) -> None:
        loops = [op for op in walk(module) if isinstance(op, scf.ForOp)]
        self._carried = {argument for loop in loops for argument in loop.body.block.args[1:]}
        self._known: dict[SSAValue, bool] = {}
        while wrong := [value for loop in loops for value in self._contradicted(loop)]:
            self._carried.difference_update(wrong)
            self._known.clear()

    def has(self, value: SSAValue) -> bool:
        """Whether `value` is never NaN."""
        if value not in self._known:
            self._known[value] = self._of(value)
        return self._known[value]

    def add(self, value: SSAValue) -> None:
        """Make a value known that is none."""
        self._known[value] = True

    def _contradicted(self, loop: scf.ForOp) -> list[SSAValue]:
        """Carried values that were taken for numbers and may be none."""
        rows = zip(loop.body.block.args[1:], loop.iter_args, _yielded(loop.body.block), strict=True)
        return [
            argument for argument, *sources in rows if argument in self._carried and not all(map(self.has, sources))
        ]

    def _of(self, value: SSAValue) -> bool:
        if not isinstance(value, OpResult):
            return value in self._carried
        op = value.op
        if isinstance(op, arith.ConstantOp):
            return _is_number(op)
        if isinstance(op, arith.MaxnumfOp | arith.MinnumfOp):
            return any(map(self.has, op.operands))
        if isinstance(op, vector.ReductionOp):
            return op.kind.data.value in _KINDS and op.acc is not None and self.has(op.acc)
        if isinstance(op, arith.SelectOp):
            return self.has(op.lhs) and self.has(op.rhs)
        if isinstance(op, scf.IfOp):
            return all(self.has(_yielded(region.block)[value.index]) for region in op.regions)
        if isinstance(op, scf.ForOp):
            return op.body.block.args[1 + value.index] in self._carried
        return isinstance(op, arith.SIToFPOp | arith.UIToFPOp)


def _is_number(op: arith.ConstantOp) -> bool:
    attribute = op.value
    if isinstance(attribute, FloatAttr):
        return attribute.value.data == attribute.value.data
    if isinstance(attribute, DenseIntOrFPElementsAttr):
        return all(value == value for value in attribute.get_values())
    return False


def _yielded(block: Block) -> tuple[SSAValue, ...]:
    assert block.last_op is not None
    return tuple(block.last_op.operands)
