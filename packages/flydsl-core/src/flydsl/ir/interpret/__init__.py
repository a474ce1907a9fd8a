"""The interpreter of mixed IR: the living definition of the dialect.

`Machine` runs a traced module, host function and kernels, and checks every access; `run` executes one function for one
thread, which passes are tested by. Integers are Python ints (signed; i1 is 0 or 1), floats are rounded to their type,
vectors and structs are lists, pointers are `Address` objects into byte memories. Undefined values are `Poison` and
spread.
"""

from __future__ import annotations

from flydsl.ir.interpret.interpreter import HANDLERS, run
from flydsl.ir.interpret.known import known
from flydsl.ir.interpret.machine import Machine
from flydsl.ir.interpret.memory import Address, Memory
from flydsl.ir.interpret.numbers import rounder
from flydsl.ir.interpret.poison import POISON, Poison
from flydsl.ir.interpret.races import Shadow
from flydsl.ir.interpret.tensor import Tensor

__all__ = [
    "HANDLERS",
    "POISON",
    "Address",
    "Machine",
    "Memory",
    "Poison",
    "Shadow",
    "Tensor",
    "known",
    "rounder",
    "run",
]
