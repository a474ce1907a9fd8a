"""The few cheap edits of IR that every pass is made of."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from xdsl.ir import Block, Operation, SSAValue

from flydsl.ir.edits import (
    create,
    detach,
    erase,
    insert_before,
    map_operands,
    replace_uses,
    set_operand,
    set_operands,
)

__all__ = [
    "block_ops",
    "create",
    "detach",
    "erase",
    "functions",
    "insert_before",
    "map_operands",
    "operands_of",
    "operations",
    "replace",
    "replace_uses",
    "set_operand",
    "set_operands",
    "walk",
]


def operands_of(op: Operation) -> tuple[SSAValue, ...]:
    """The operands as the tuple xDSL stores: its `operands` view costs more than most of our visits."""
    return op._operands


def replace(op: Operation, values: Sequence[SSAValue]) -> None:
    """Let `values` take the place of the results of `op`, and erase it."""
    for result, value in zip(op.results, values, strict=True):
        if result.first_use is not None:
            replace_uses(result, value)
    erase(op)


def block_ops(block: Block) -> Iterator[Operation]:
    """The operations of a block, in order; the visitor may erase the one it was given or insert in front of it."""
    op = block._first_op
    while op is not None:
        following = op._next_op
        yield op
        op = following


def walk(root: Operation | Block) -> Iterator[Operation]:
    """All operations in `root`, which is the first of them if it is one; outer ones first. As xDSL's `walk`, without a
    generator for each operation: the visitor may erase the one it was given.
    """
    first: list[Operation | None] = []
    if isinstance(root, Block):
        first.append(root.first_op)
    else:
        yield root
        if not root.regions:
            return
        first += [block.first_op for region in reversed(root.regions) for block in reversed(region.blocks)]
    while first:
        op = first.pop()
        while op is not None:
            following = op._next_op
            yield op
            if op.regions:
                first.append(following)
                first += [block.first_op for region in reversed(op.regions) for block in reversed(region.blocks)]
                break
            op = following


def operations(root: Operation | Block, names: Container[str] | None = None) -> list[Operation]:
    """All operations in `root`, which is the first of them if it is one, or those of `names`; outer ones first. Edits
    of the IR do not change the list.
    """
    found: list[Operation] = []
    if isinstance(root, Block):
        _collect(root, names, found)
        return found
    if names is None or root.name in names:
        found.append(root)
    for region in root.regions:
        for block in region.blocks:
            _collect(block, names, found)
    return found


def _collect(root: Block, names: Container[str] | None, found: list[Operation]) -> None:
    op = root._first_op
    while op is not None:
        if names is None or op.name in names:
            found.append(op)
        if op.regions:
            for region in op.regions:
                for block in region.blocks:
                    _collect(block, names, found)
        op = op._next_op


def functions(module: Operation) -> Iterator[Operation]:
    """Every function with a body: of the host (`func.func`) and of kernels (`gpu.func`), in nested modules too."""
    for op in (op for block in module.regions[0].blocks for op in block.ops):
        if op.name in ("gpu.module", "builtin.module"):
            yield from functions(op)
        elif _has_body(op):
            yield op


def _has_body(op: Operation) -> bool:
    if op.name not in ("func.func", "gpu.func") or not op.regions[0].blocks:
        return False
    return op.regions[0].blocks[0].first_op is not None
