"""A dialect as a plugin would bring it, of operations that touch memory in every way, and in none that is known."""

from __future__ import annotations

from xdsl.ir import Dialect, Operation, OpTraits
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure, RecursiveMemoryEffect

from flydsl.ir.fly.fields import READ, WRITE, Operand
from flydsl.ir.fly.op import FlyOp


class WeighOp(FlyOp):
    """A function of its operands."""

    name = "fx_test.weigh"
    traits = OpTraits(lambda: (Pure(),))


class PeekOp(Operation):
    """Reads, it does not say through which operand."""

    name = "fx_test.peek"
    traits = OpTraits(lambda: (MemoryReadEffect(),))


class StrikeOp(Operation):
    """Writes, it does not say through which operand, and has a result."""

    name = "fx_test.strike"
    traits = OpTraits(lambda: (MemoryWriteEffect(),))


class MoveOp(FlyOp):
    """Reads through one operand and writes through the other."""

    name = "fx_test.move"
    source, target = Operand(READ), Operand(WRITE)


class MysteryOp(Operation):
    """Says nothing."""

    name = "fx_test.mystery"
    traits = OpTraits(lambda: ())


class SilentOp(FlyOp):
    """Says nothing, although its base class would take it."""

    name = "fx_test.silent"
    operand = Operand()


class TwiceOp(Operation):
    """Runs its region twice."""

    name = "fx_test.twice"
    traits = OpTraits(lambda: (RecursiveMemoryEffect(),))


class MysteryRegionOp(Operation):
    """Has a region and says nothing."""

    name = "fx_test.mystery_region"
    traits = OpTraits(lambda: ())


EFFECTS_TARGET = Dialect("fx_test", [WeighOp, PeekOp, StrikeOp, MoveOp, MysteryOp, SilentOp, TwiceOp, MysteryRegionOp])
