"""Loops with a thread-dependent start, rewritten to one range for all threads and a branch inside.

`for i in range(thread, n, threads)` becomes `for j in range(0, n, threads)` with `i = j + thread` and `if i < n`: then
the loop can run once for the block.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue

from flydsl.backend.ir import annotation_of
from flydsl.backend.llvm import LLVMBuilder
from flydsl.backend.rewriting import clone, erase
from flydsl_cpu.lowering.analysis.linear_forms import LinearForms


def can_start_together(loop: scf.ForOp, forms: LinearForms) -> bool:
    """Whether the first thread starts first: the start is a growing sum of thread ids."""
    form = forms.of(loop.lb)
    return (
        isinstance(loop.lb.type, IntegerType)
        and "unsignedCmp" not in loop.properties
        and bool(form.coefficients)
        and not form.unknown
        and all(coefficient >= 0 for coefficient in form.coefficients.values())
    )


def start_together(loop: scf.ForOp) -> scf.ForOp:
    """Replace the loop; the new one starts where the first thread starts."""
    before = LLVMBuilder.before_op(loop)
    first = _of_first_thread(before, loop.lb, {})
    ahead = before.sub(loop.lb, first)
    body = Block(arg_types=loop.body.block.arg_types)
    start, *carried = body.args
    build = LLVMBuilder(body)
    # Both sides are exact as unsigned numbers, whatever the signs of the bounds.
    inside = build.compare("ult", ahead, build.sub(loop.ub, start))
    types = [value.type for value in carried]
    branch = build.create(scf.IfOp, (inside,), types, regions=[_taken(loop, start, ahead, carried), _passed(carried)])
    build.create(scf.YieldOp, branch.results)
    operands = (first, *loop.operands[1:])
    made = before.create(scf.ForOp, operands, types, annotation_of(loop), regions=[Region(body)])
    for old, new in zip(loop.results, made.results, strict=True):
        old.replace_all_uses_with(new)
    erase(loop)
    assert isinstance(made, scf.ForOp)
    return made


def _taken(loop: scf.ForOp, start: SSAValue, ahead: SSAValue, carried: Sequence[SSAValue]) -> Region:
    """The body of the loop, at the place of this thread."""
    block = Block()
    build = LLVMBuilder(block)
    index, *old = loop.body.block.args
    index.replace_all_uses_with(build.add(start, ahead))
    for argument, value in zip(old, carried, strict=True):
        argument.replace_all_uses_with(value)
    for op in list(loop.body.block.ops):
        build.move(op)
    return Region(block)


def _passed(carried: Sequence[SSAValue]) -> Region:
    block = Block()
    LLVMBuilder(block).create(scf.YieldOp, carried)
    return Region(block)


def _of_first_thread(build: LLVMBuilder, value: SSAValue, known: dict[SSAValue, SSAValue]) -> SSAValue:
    """`value`, computed again with thread ids of 0."""
    if not isinstance(value, OpResult):
        return value
    if value not in known:
        op: Operation = value.op
        if op.name == "gpu.thread_id":
            known[value] = build.value(arith.ConstantOp, (), value.type, {"value": IntegerAttr(0, value.type)})
        else:
            operands = {operand: _of_first_thread(build, operand, known) for operand in op.operands}
            if all(old is new for old, new in operands.items()):
                return value
            known.update(zip(op.results, build.insert(clone(op, operands)).results, strict=True))
    return known[value]
