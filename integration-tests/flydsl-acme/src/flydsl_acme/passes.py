"""The pass `acme-tag`: a module in; the same module, marked with the architecture it is for, out."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass


@dataclass(frozen=True)
class AcmeTag(ModulePass):
    """Sets the attribute `acme.arch` of the module."""

    name = "acme-tag"

    arch: str = "acme1"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Mark `op`."""
        op.attributes["acme.arch"] = StringAttr(self.arch)
