"""The dialect `acme`: what the anvils of the device do.

Each operation says with traits of xDSL what it does to memory. The core shares and erases by that, and tells by it
which arguments a kernel writes; an operation that says nothing always stays, and writes through all of its addresses.
"""

from __future__ import annotations

from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import MemoryWriteEffect, Pure


@irdl_op_definition
class StrikeOp(IRDLOperation):
    """`(anvil, force) -> dent`: hits what lies on the anvil."""

    name = "acme.strike"
    anvil = operand_def()
    force = operand_def()
    dent = result_def()
    traits = traits_def(MemoryWriteEffect())


@irdl_op_definition
class WeighOp(IRDLOperation):
    """`(piece) -> weight`: a function of the number, which touches no memory."""

    name = "acme.weigh"
    piece = operand_def()
    weight = result_def()
    traits = traits_def(Pure())


@irdl_op_definition
class PolishOp(IRDLOperation):
    """`(anvil) -> shine`: says nothing of what it does."""

    name = "acme.polish"
    anvil = operand_def()
    shine = result_def()


ACME = Dialect("acme", [StrikeOp, WeighOp, PolishOp])
