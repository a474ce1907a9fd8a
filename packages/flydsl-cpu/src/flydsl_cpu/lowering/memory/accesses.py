"""LLVM access groups: the iterations of a loop over threads declared independent."""

from __future__ import annotations

from functools import cache, lru_cache

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ArrayAttr, UnregisteredAttr
from xdsl.ir import Attribute, Block, OpResult, SSAValue

from flydsl.backend.rewriting import operands_of, operations

ACCESSES = (llvm.LoadOp.name, llvm.StoreOp.name)
"""Operations that read or write memory and are not atomic; the last operand is the address."""


def loop_annotation(group: int) -> Attribute:
    """The annotation of a loop whose iterations may run in any order as far as accesses of `group` go."""
    return _attribute("llvm.loop_annotation", f"parallelAccesses = #llvm.access_group<id = distinct[{group}]<>>")


def rolled_loop() -> Attribute:
    """The annotation of a loop that LLVM is not to unroll: one of few iterations, each of which is long enough."""
    return _attribute("llvm.loop_annotation", "unroll = <disable = true>, vectorize = <disable = true>")


def mark_accesses(body: Block, group: int) -> None:
    """Put the loads and stores of a loop body into `group`, other than those of memory that all iterations reuse."""
    groups = ArrayAttr([_attribute("llvm.access_group", f"id = distinct[{group}]<>")])
    known: dict[SSAValue, bool] = {}
    for op in operations(body, ACCESSES):
        if not _is_private(operands_of(op)[-1], known):
            op.attributes["access_groups"] = groups  # xDSL's operations know no such property; MLIR reads both


@lru_cache(maxsize=256)
def _attribute(name: str, value: str) -> Attribute:
    return _attribute_class(name)(name, False, False, value)


@cache
def _attribute_class(name: str) -> type[UnregisteredAttr]:
    return UnregisteredAttr.with_name_and_type(name, False)


def _is_private(value: SSAValue, known: dict[SSAValue, bool]) -> bool:
    """Whether an address may lead back to an alloca, which all iterations share; `known` is what was found before."""
    found = known.get(value)
    if found is None:
        known[value] = False  # should it lead back to itself
        if isinstance(value, OpResult):
            owner = value.op
            found = type(owner) is llvm.AllocaOp
            if not found and type(owner) is not llvm.LoadOp:
                for operand in operands_of(owner):
                    found = found or _is_private(operand, known)
        else:
            block = value.owner
            parent = block.parent_op() if isinstance(block, Block) else None
            found = parent is not None and parent.name.startswith("scf.")
        known[value] = found
    return found
