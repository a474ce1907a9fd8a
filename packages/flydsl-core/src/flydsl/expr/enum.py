"""The enumerations of the language under one name (`fx.enum.SyncScope`)."""

from flydsl.expr.arith import FastMathFlags as FastMathFlags
from flydsl.expr.arith import RoundingMode as RoundingMode
from flydsl.expr.memory.address_space import AddressSpace as AddressSpace
from flydsl.expr.memory.atomics import AtomicOrdering as AtomicOrdering
from flydsl.expr.memory.atomics import SyncScope as SyncScope
from flydsl.expr.numbers.vector import ReductionOp as ReductionOp
from flydsl.expr.tiles.enums import AtomicOp as AtomicOp
from flydsl.expr.tiles.enums import CachePolicy as CachePolicy
from flydsl.expr.tiles.enums import GemmTraversalOrder as GemmTraversalOrder
from flydsl.expr.tiles.enums import MmaOperand as MmaOperand
