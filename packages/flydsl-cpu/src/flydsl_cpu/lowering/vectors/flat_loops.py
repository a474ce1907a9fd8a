"""Loops over threads and the lanes of their vectors as one loop, where nothing tells one lane from another.

Threads that work on neighbouring vectors of `n` lanes, each lane by itself, do what `n` times as many threads would do
with a number each: accesses are contiguous, and nothing has to be put in order of lanes first.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from xdsl.dialects import arith, llvm, ub, vector
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerType, VectorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from flydsl.backend.ir import element_bits
from flydsl.backend.llvm import LLVMBuilder, raw_operation
from flydsl.backend.rewriting import block_ops, operands_of
from flydsl_cpu.lowering.analysis.linear_forms import LinearForms, constant_value
from flydsl_cpu.lowering.analysis.operations import is_plain, is_pure, take_out
from flydsl_cpu.lowering.vectors.scalars import extracted, is_elementwise, lane_count, scalar_constant

_FROM_ELEMENTS = raw_operation("vector.from_elements")
_MAX_LANES = 16


class FlatLoop:
    """Whether and how the body of a loop over threads, `forms` of which are known, becomes one over lanes.

    `lanes` is how many there are in a vector, 0 when the loop stays as it is.
    """

    def __init__(self, body: Block, forms: LinearForms) -> None:
        self._body, self._forms = body, forms
        self._made: dict[SSAValue, SSAValue] = {}
        self.lanes = 0
        counts = {lane_count(value.type) for op in block_ops(body) for value in (*operands_of(op), *op.results)} - {0}
        if len(counts) == 1 and (lanes := counts.pop()) in range(2, _MAX_LANES + 1):
            self.lanes = lanes
            if not all(map(self._is_flat, body.ops)):
                self.lanes = 0

    # what can be done

    def _is_flat(self, op: Operation) -> bool:
        if op.regions:
            return False
        if not any(lane_count(value.type) for value in (*operands_of(op), *op.results)):
            return is_pure(op)
        if isinstance(op, llvm.LoadOp | llvm.StoreOp):
            if not is_plain(op):
                return False
            type_ = op.results[0].type if isinstance(op, llvm.LoadOp) else op.value.type
            size = element_bits(type_) // 8
            form = self._forms.of(op.ptr)
            stored = op.value if isinstance(op, llvm.StoreOp) else None
            contiguous = 0 not in form.unknown and form.coefficients.get(0) == size and size % self.lanes == 0
            return contiguous and element_bits(_element(type_)) >= 8 and (stored is None or self._is_known(stored))
        if isinstance(op, _FROM_ELEMENTS):
            return self._is_series(tuple(op.operands))
        if isinstance(op, arith.ConstantOp):
            return _is_splat(op.results[0])
        if isinstance(op, vector.BroadcastOp):
            return not lane_count(op.operands[0].type) and self._is_same_for_neighbours(op.operands[0])
        return isinstance(op, ub.PoisonOp) or (is_elementwise(op) and all(map(self._is_known, op.operands)))

    def _is_known(self, value: SSAValue) -> bool:
        """Whether an operand is made in the loop, or the same in all lanes."""
        if not lane_count(value.type):
            return self._is_same_for_neighbours(value)
        return _is_in(self._body, value.owner) or _is_splat(value)

    def _is_same_for_neighbours(self, value: SSAValue) -> bool:
        return 0 not in self._forms.of(value).digits

    def _is_series(self, values: tuple[SSAValue, ...]) -> bool:
        """Whether value `i` is what the first would be for lane `i` of the flat loop."""
        if all(value is values[0] for value in values):
            return self._is_same_for_neighbours(values[0])
        if self._step(values) is not None:
            return True
        owners = [value.owner for value in values]
        first = owners[0]
        if not isinstance(first, Operation) or not is_pure(first) or first.regions or len(first.results) != 1:
            return False
        alike = [o for o in owners if isinstance(o, Operation) and type(o) is type(first)]
        if len(alike) < len(owners) or any(o.properties != first.properties for o in alike):
            return False
        return all(self._is_series(column) for column in zip(*(o.operands for o in alike), strict=True))

    def _step(self, values: tuple[SSAValue, ...]) -> int | None:
        """The distance of integers that grow from lane to lane, and so from the last of a thread to the next one's."""
        parts = [_base_and_offset(value) for value in values]
        base, start = parts[0]
        step = parts[1][1] - start
        form = self._forms.of(base)
        grows = 0 not in form.unknown and form.coefficients.get(0, 0) == step * self.lanes
        in_order = all(part == (base, start + i * step) for i, part in enumerate(parts))
        return step if step and grows and in_order and isinstance(base.type, IntegerType) else None

    # how it is done

    def rewrite(self, inner: Block, lane: SSAValue) -> None:
        """Replace the vectors of `inner`, which computes what the first thread does, by numbers at place `lane`."""
        for op in list(inner.ops):
            if any(lane_count(value.type) for value in (*operands_of(op), *op.results)):
                self._rewrite(op, lane)

    def _rewrite(self, op: Operation, lane: SSAValue) -> None:
        build = LLVMBuilder.before_op(op)
        if isinstance(op, llvm.StoreOp):
            element = _element(op.value.type)
            build.store(self._scalar(build, op.value), build.gep(op.ptr, (lane,), element), _alignment(op, element))
        else:
            result = op.results[0]
            self._made[result] = self._of(build, op, _element(result.type), lane)
        take_out(op)

    def _of(self, build: LLVMBuilder, op: Operation, element: Attribute, lane: SSAValue) -> SSAValue:
        if isinstance(op, llvm.LoadOp):
            return build.load(build.gep(op.ptr, (lane,), element), element, _alignment(op, element))
        if isinstance(op, vector.BroadcastOp):
            return op.operands[0]
        if isinstance(op, _FROM_ELEMENTS):
            return self._series(build, tuple(op.operands), lane)
        if isinstance(op, arith.ConstantOp):
            return scalar_constant(build, op, 0)
        operands = [self._scalar(build, value) for value in op.operands]
        return _again(build, op, operands, element)

    def _scalar(self, build: LLVMBuilder, value: SSAValue) -> SSAValue:
        if not lane_count(value.type):
            return value
        if value not in self._made:
            return extracted(build, value, 0)
        return self._made[value]

    def _series(self, build: LLVMBuilder, values: tuple[SSAValue, ...], lane: SSAValue) -> SSAValue:
        first = values[0]
        if all(value is first for value in values):
            return first
        step = self._step(values)
        if step is not None:
            far = build.mul(build.integer_cast(lane, first.type), build.constant(step, first.type))  # type: ignore[arg-type]
            return build.add(first, far)
        owner = first.owner
        assert isinstance(owner, Operation)
        columns = zip(*(value.owner.operands for value in values), strict=True)  # type: ignore[union-attr]
        return _again(build, owner, [self._series(build, column, lane) for column in columns], first.type)


def _is_in(body: Block, owner: Operation | Block) -> bool:
    return isinstance(owner, Operation) and owner.parent is body


def _again(build: LLVMBuilder, op: Operation, operands: Sequence[SSAValue], type_: Attribute) -> SSAValue:
    """The result of the same operation on other operands."""
    return build.create(type(op), operands, (type_,), op.attributes, properties=op.properties).results[0]


def _element(type_: Attribute) -> Attribute:
    assert isinstance(type_, VectorType)
    element: Attribute = type_.element_type
    return element


def _alignment(op: llvm.LoadOp | llvm.StoreOp, element: Attribute) -> int:
    size = element_bits(element) // 8
    return gcd(op.alignment.value.data, size) if op.alignment is not None else size


def _is_splat(value: SSAValue) -> bool:
    """Whether a vector is known to have the same number in all lanes."""
    op = value.owner
    if isinstance(op, arith.ConstantOp):
        return isinstance(op.value, DenseIntOrFPElementsAttr) and op.value.is_splat()
    if isinstance(op, vector.BroadcastOp):
        return not lane_count(op.operands[0].type)
    if not isinstance(op, Operation) or not is_elementwise(op):
        return False
    return all(not lane_count(operand.type) or _is_splat(operand) for operand in op.operands)


def _base_and_offset(value: SSAValue) -> tuple[SSAValue, int]:
    owner = value.owner
    if isinstance(owner, arith.AddiOp):
        for base, offset in (tuple(owner.operands), tuple(reversed(owner.operands))):
            if (constant := constant_value(offset)) is not None:
                return base, constant
    return value, 0
