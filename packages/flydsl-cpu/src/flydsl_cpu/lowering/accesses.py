"""LLVM access groups: the iterations of a loop over threads declared independent."""

from __future__ import annotations

from functools import cache, lru_cache

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ArrayAttr, UnregisteredAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue


def loop_annotation(group: int) -> Attribute:
    """The annotation of a loop whose iterations may run in any order as far as accesses of `group` go."""
    return _attribute("llvm.loop_annotation", f"parallelAccesses = #llvm.access_group<id = distinct[{group}]<>>")


def mark_accesses(body: Block, group: int) -> None:
    """Put the loads and stores of a loop body into `group`, other than those of memory that all iterations reuse."""
    groups = ArrayAttr([_attribute("llvm.access_group", f"id = distinct[{group}]<>")])
    for op in body.walk():
        if isinstance(op, llvm.LoadOp | llvm.StoreOp) and not _is_private(op):
            op.attributes["access_groups"] = groups  # xDSL's operations know no such property; MLIR reads both


@lru_cache(maxsize=256)
def _attribute(name: str, value: str) -> Attribute:
    return _attribute_class(name)(name, False, False, value)


@cache
def _attribute_class(name: str) -> type[UnregisteredAttr]:
    return UnregisteredAttr.with_name_and_type(name, False)


def _is_private(op: llvm.LoadOp | llvm.StoreOp) -> bool:
    """Whether the address may lead back to an alloca, which all iterations share."""
    pending: list[SSAValue] = [op.ptr]
    seen: set[SSAValue] = set()
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        owner = value.owner
        if isinstance(owner, Block):
            parent = owner.parent_op()
            if parent is not None and parent.name.startswith("scf."):
                return True
        elif isinstance(owner, llvm.AllocaOp):
            return True
        elif not isinstance(owner, llvm.LoadOp):
            assert isinstance(owner, Operation)
            pending.extend(owner.operands)
    return False
