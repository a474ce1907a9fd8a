"""The target's names of synchronisation scopes on atomic accesses and fences."""

from __future__ import annotations

from xdsl.dialects import llvm
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from flydsl.backend.conversion.conversion import Conversion, Handlers
from flydsl.passes.to_llvm.builder import raw_operation

_SCOPE = "syncscope"


def _rename(conversion: Conversion, op: Operation) -> None:
    for fields in (op.properties, op.attributes):
        scope = fields.get(_SCOPE)
        if isinstance(scope, StringAttr):
            name = conversion.target.sync_scopes.get(scope.data, scope.data)
            fields.pop(_SCOPE)
            if name:
                fields[_SCOPE] = StringAttr(name)
    conversion.keep(op)


SYNC_HANDLERS: Handlers = {
    **dict.fromkeys((llvm.LoadOp, llvm.StoreOp), _rename),
    **{raw_operation(f"llvm.{name}"): _rename for name in ("atomicrmw", "cmpxchg", "fence")},
}
