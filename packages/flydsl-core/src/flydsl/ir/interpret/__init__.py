"""Modules of mixed IR in, what they do out: the definition that passes are tested by.

Integers are Python ints (signed; i1 is 0 or 1), floats are rounded to their type, vectors and structs are lists,
pointers are `Address` objects into byte memories. Undefined values are `POISON` and spread.
"""

from __future__ import annotations

from flydsl.ir.interpret.interpreter import Interpreter, run
from flydsl.ir.interpret.memory import POISON, Address, Memory, round_to
from flydsl.ir.interpret.tensor import Tensor

__all__ = ["POISON", "Address", "Interpreter", "Memory", "Tensor", "round_to", "run"]
