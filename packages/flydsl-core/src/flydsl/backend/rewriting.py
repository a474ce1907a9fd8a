"""Passes over operations: walks, edits, memory effects, and attributes that are made once.

They are linear: a pass looks at each operation once, and edits without xDSL's pattern drivers.
"""

from __future__ import annotations

from flydsl.ir.edits import append, clone, erase, insert_before, set_operand
from flydsl.ir.effects import effects_of, has_effects_of_regions, is_pure, is_pure_class
from flydsl.passes.cached_attributes import position, vector_of
from flydsl.passes.located import with_location
from flydsl.passes.rewriting import block_ops, functions, operands_of, operations, replace, walk

__all__ = [
    "append",
    "block_ops",
    "clone",
    "effects_of",
    "erase",
    "functions",
    "has_effects_of_regions",
    "insert_before",
    "is_pure",
    "is_pure_class",
    "operands_of",
    "operations",
    "position",
    "replace",
    "set_operand",
    "vector_of",
    "walk",
    "with_location",
]
