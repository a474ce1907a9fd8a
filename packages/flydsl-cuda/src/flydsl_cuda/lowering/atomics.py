"""Atomic read-modify-writes with their memory ordering.

LLVM 22 emits those of NVIDIA GPUs relaxed, whatever ordering they state. A fence before releases, one behind acquires.
"""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute, Operation

from flydsl.passes.to_llvm.builder import LLVMBuilder
from flydsl.passes.to_llvm.conversion import Conversion

_MONOTONIC, _ACQUIRE, _RELEASE, _ACQ_REL, _SEQ_CST = 2, 4, 5, 6, 7
_BEFORE = {_RELEASE: _RELEASE, _ACQ_REL: _RELEASE, _SEQ_CST: _SEQ_CST}
_BEHIND = {_ACQUIRE: _ACQUIRE, _ACQ_REL: _ACQUIRE, _SEQ_CST: _ACQUIRE}


def ordered_atomic(conversion: Conversion, op: Operation) -> None:
    """Put the fences of its ordering around an `llvm.atomicrmw`, which becomes monotonic."""
    fields = op.properties if "ordering" in op.properties else op.attributes
    stated = fields["ordering"]
    assert isinstance(stated, IntegerAttr), stated
    ordering = stated.value.data
    scope = _rename_scope(conversion, op)
    if ordering > _MONOTONIC:
        fields["ordering"] = IntegerAttr(_MONOTONIC, i64)
        if ordering in _BEFORE:
            _fence(conversion.build, _BEFORE[ordering], scope)
        if ordering in _BEHIND:
            assert op.parent is not None
            after = LLVMBuilder(op.parent, op.next_op)
            _fence(after, _BEHIND[ordering], scope)
    conversion.keep(op)


def _rename_scope(conversion: Conversion, op: Operation) -> str:
    """The scope in LLVM's words for the target; empty for the whole system."""
    for fields in (op.properties, op.attributes):
        stated = fields.pop("syncscope", None)
        if isinstance(stated, StringAttr):
            scope = conversion.target.sync_scopes.get(stated.data, stated.data)
            if scope:
                fields["syncscope"] = StringAttr(scope)
            return scope
    return ""


def _fence(build: LLVMBuilder, ordering: int, scope: str) -> None:
    attributes: dict[str, Attribute] = {"ordering": IntegerAttr(ordering, i64)}
    if scope:
        attributes["syncscope"] = StringAttr(scope)
    build.raw("llvm.fence", (), (), attributes)
