"""Bounds checks hoisted out of thread loops: one check per block, whether all threads pass.

Checks of the form `sum of thread ids < uniform` hold for all threads when they hold for the last one. A block inside
the tensor then runs a version of the loop without branches, in which such checks choose no values either.
"""

from __future__ import annotations

from xdsl.dialects import arith, llvm, scf, vector
from xdsl.dialects.builtin import i1
from xdsl.ir import Block, OpResult, Region, SSAValue

from flydsl.backend.llvm import LLVMBuilder, raw_operation
from flydsl.backend.rewriting import block_ops, erase
from flydsl_cpu.lowering.analysis.corners import Corner
from flydsl_cpu.lowering.analysis.linear_forms import LinearForms, constant_value
from flydsl_cpu.lowering.analysis.operations import is_plain, is_pure, replace_inside, take_out, take_out_unused

_FROM_ELEMENTS = raw_operation("vector.from_elements")
_EQUAL = 0
_LESS = {2, 3, 6, 7}
_GREATER = {4, 5, 8, 9}
"""Numbers of the predicates eq, slt sle ult ule, and sgt sge ugt uge."""


class Guards:
    """The branches of one loop body that a check of the last thread decides, and the choices of values beside them."""

    __slots__ = ("_body", "_choices", "_forms", "_taken", "branches")

    def __init__(self, body: Block, forms: LinearForms) -> None:
        self._body, self._forms = body, forms
        self.branches: list[scf.IfOp] = []
        self._choices: list[SSAValue] = []
        self._taken = {body}
        if forms.digits:  # a single thread has nothing to agree on
            self._decide(body)

    def _decide(self, block: Block) -> None:
        """Note the branches and choices of `block` that are decided, and those inside of what they do when taken."""
        for op in block_ops(block):
            if type(op) is arith.CmpiOp and self._is_choice(op):  # quicker than `isinstance`
                self._choices.append(op.result)
            elif type(op) is scf.IfOp and self._is_decided(op.cond):
                self.branches.append(op)
                self._taken.add(op.true_region.block)
                self._decide(op.true_region.block)

    def check(self, build: LLVMBuilder, last: tuple[SSAValue, ...], first: SSAValue) -> SSAValue:
        """An i1 at block scope: every condition holds for every thread; `last` are the ids of the last thread."""
        at_last = Corner(build, dict(zip(self._body.args, last, strict=True)), self._is_inside)
        at_first = Corner(build, dict.fromkeys(self._body.args, first), self._is_inside)
        result: SSAValue | None = None
        for condition in dict.fromkeys([*(op.cond for op in self.branches), *self._choices]):
            terms = [at_last.value(condition)]
            # Sums that wrap around would pass at the corner and fail before it.
            terms += [build.compare("sge", at_last.value(v), at_first.value(v)) for v in self._growing(condition)]
            for term in terms:
                result = term if result is None else build.bit_and(result, term)
        assert result is not None
        return result

    def inline(self) -> None:
        """Replace the branches by what they do when taken, outer ones first, and the conditions of choices by true."""
        for op in self.branches:
            then = op.true_region.block
            terminator = then.last_op
            assert terminator is not None
            yielded = tuple(terminator.operands)
            erase(terminator)
            build = LLVMBuilder.before_op(op)
            for inner in list(then.ops):
                build.move(inner)
            for result, value in zip(op.results, yielded, strict=True):
                replace_inside(self._body, result, value)
            take_out(op)
        for choice in self._choices:
            assert isinstance(choice, OpResult)
            true = LLVMBuilder.before_op(choice.op).constant(1, i1)
            replace_inside(self._body, choice, true)
        _forget_repacking(self._body)
        take_out_unused(self._body)

    def _is_decided(self, condition: SSAValue) -> bool:
        if not self._is_inside(condition):
            return False
        assert isinstance(condition, OpResult)
        op = condition.op
        if isinstance(op, arith.AndIOp) and condition.type == i1:
            return all(not self._is_inside(operand) or self._is_decided(operand) for operand in op.operands)
        if not isinstance(op, arith.CmpiOp):
            return False
        grows, bound = self._sides(op)
        form = self._forms.of(grows)
        monotone = not form.unknown and all(c >= 0 for c in form.coefficients.values())
        return monotone and not self._forms.of(bound).digits and op.predicate.value.data in _LESS | _GREATER

    def _is_choice(self, op: arith.CmpiOp) -> bool:
        """Whether values are chosen by a decided condition, the answer to which only the launch tells."""
        if not any(isinstance(use.operation, arith.SelectOp | _FROM_ELEMENTS) for use in op.result.uses):
            return False
        grows, bound = self._sides(op)
        is_known = not self._forms.of(grows).offset and constant_value(bound) is not None
        return not is_known and self._is_decided(op.result)

    def _growing(self, condition: SSAValue) -> list[SSAValue]:
        if not self._is_inside(condition):
            return []
        assert isinstance(condition, OpResult)
        if isinstance(condition.op, arith.CmpiOp):
            return [self._sides(condition.op)[0]]
        return [value for operand in condition.op.operands for value in self._growing(operand)]

    def _sides(self, op: arith.CmpiOp) -> tuple[SSAValue, SSAValue]:
        less = op.predicate.value.data in _LESS
        return (op.lhs, op.rhs) if less else (op.rhs, op.lhs)

    def _is_inside(self, value: SSAValue) -> bool:
        return isinstance(value, OpResult) and value.op.parent in self._taken


def only_counter(body: Block, forms: LinearForms) -> int | None:
    """The one value of the innermost counter with which a body has effects: those of `if lane == 0` alone."""
    counters: set[int | None] = set()
    for op in body.ops:
        if is_pure(op) or (isinstance(op, llvm.LoadOp) and is_plain(op)):
            continue
        is_branch = isinstance(op, scf.IfOp) and not op.results and not _is_filled(op.false_region)
        counters.add(_equal_counter(op.operands[0], forms) if is_branch else None)
    return counters.pop() if len(counters) == 1 else None


def _is_filled(region: Region) -> bool:
    return any(len(list(block.ops)) > 1 for block in region.blocks)


def _equal_counter(condition: SSAValue, forms: LinearForms) -> int | None:
    """The innermost counter for which `multiple of it == number` holds; None for other conditions or without one."""
    if not isinstance(condition, OpResult) or not isinstance(condition.op, arith.CmpiOp):
        return None
    op, extent = condition.op, forms.digits[0].extent
    for value, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        form, number = forms.of(value), constant_value(other)
        if number is not None and not form.offset and not form.unknown and set(form.coefficients) == {0}:
            counter, rest = divmod(number, form.coefficients[0])
            is_met = op.predicate.value.data == _EQUAL and not rest and extent is not None and 0 <= counter < extent
            return counter if is_met else None
    return None


def _forget_repacking(body: Block) -> None:
    """Vectors made of all lanes of another one, which branches had in common, become that one."""
    for op in body.ops:
        if isinstance(op, _FROM_ELEMENTS):
            first = op.operands[0].owner
            whole = first.operands[0] if isinstance(first, vector.ExtractOp) else None
            if (
                whole is not None
                and whole.type == op.results[0].type
                and all(_is_lane(value, whole, index) for index, value in enumerate(op.operands))
            ):
                replace_inside(body, op.results[0], whole)


def _is_lane(value: SSAValue, whole: SSAValue, index: int) -> bool:
    op = value.owner
    if not isinstance(op, vector.ExtractOp) or len(op.operands) != 1 or op.operands[0] is not whole:
        return False
    return tuple(op.static_position.get_values()) == (index,)
