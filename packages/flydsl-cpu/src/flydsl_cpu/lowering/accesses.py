"""LLVM access groups: the iterations of a loop over threads declared independent."""

from __future__ import annotations

from functools import cache, lru_cache

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ArrayAttr, UnregisteredAttr
from xdsl.ir import Attribute, Block, SSAValue

from flydsl.passes.rewriting import operands_of, walk


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
    for op in walk(body):
        if isinstance(op, llvm.LoadOp | llvm.StoreOp) and not _is_private(op.ptr, known):
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
        owner = value.owner
        if isinstance(owner, Block):
            parent = owner.parent_op()
            found = parent is not None and parent.name.startswith("scf.")
        else:
            operands = () if type(owner) is llvm.LoadOp else operands_of(owner)
            found = type(owner) is llvm.AllocaOp or any(_is_private(operand, known) for operand in operands)
        known[value] = found
    return found
