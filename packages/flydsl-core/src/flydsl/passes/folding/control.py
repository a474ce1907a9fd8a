"""Folding of structured control flow."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Block, Operation

from flydsl.passes.rewriting import erase, operands_of, replace


def inline_decided_if(op: scf.IfOp, condition: bool) -> list[Operation]:
    """Put the branch that is taken in place of `op`; returns the operations moved."""
    region = op.true_region if condition else op.false_region
    parent = op.parent
    assert parent is not None
    if not region.blocks:
        erase(op)
        return []
    block = region.block
    last = block.last_op
    moved = [inner for inner in block.ops if inner is not last]
    for inner in moved:
        inner.detach()
        parent.insert_op_before(inner, op)
    replace(op, operands_of(last) if last is not None else ())
    return moved


def drop_invariant_arguments(op: scf.ForOp) -> None:
    """Replace loop-carried values that every iteration passes on unchanged by their initial value."""
    block = op.body.block
    last = block.last_op
    assert last is not None
    yielded, args, inits = operands_of(last), block.args[1:], operands_of(op)[3:]
    kept = [index for index, arg in enumerate(args) if yielded[index] is not arg and yielded[index] is not inits[index]]
    if len(kept) == len(args):
        return
    operands = operands_of(op)
    for index, arg in enumerate(args):
        if index not in kept:
            arg.replace_all_uses_with(operands[3 + index])
            op.results[index].replace_all_uses_with(operands[3 + index])
    yielded = operands_of(last)  # anew: what is kept may have been handed a value that is not
    last.operands = [yielded[index] for index in kept]
    _rebuild(op, block, kept)


def _rebuild(op: scf.ForOp, block: Block, kept: list[int]) -> None:
    operands, region = operands_of(op), op.body
    for index in reversed(range(len(block.args) - 1)):
        if index not in kept:
            block.erase_arg(block.args[1 + index])
    op.detach_region(region)
    new = scf.ForOp.create(
        operands=[*operands[:3], *(operands[3 + index] for index in kept)],
        result_types=[op.results[index].type for index in kept],
        attributes=op.attributes,
        properties=op.properties,
        regions=[region],
        location=op.location,
    )
    assert op.parent is not None
    op.parent.insert_op_before(new, op)
    for result, index in zip(new.results, kept, strict=True):
        op.results[index].replace_all_uses_with(result)
    erase(op)
