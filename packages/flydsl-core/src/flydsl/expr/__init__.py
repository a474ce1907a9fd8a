"""The words of the language (`import flydsl.expr as fx`); words of a target come from its installed plugin."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from flydsl.expr import arith as arith
from flydsl.expr import gpu as gpu
from flydsl.expr import math as math
from flydsl.expr.address import *
from flydsl.expr.algebra import *
from flydsl.expr.arith import *
from flydsl.expr.array import *
from flydsl.expr.atomic_copies import *
from flydsl.expr.atomics import *
from flydsl.expr.atoms import *
from flydsl.expr.boxed import *
from flydsl.expr.choices import *
from flydsl.expr.control import *
from flydsl.expr.copy import *
from flydsl.expr.gpu import *
from flydsl.expr.indexed_copy import *
from flydsl.expr.int_tuple import *
from flydsl.expr.ir_types import IR_TYPES, ir_type_class
from flydsl.expr.layout import *
from flydsl.expr.layout_parts import *
from flydsl.expr.make import *
from flydsl.expr.math import *
from flydsl.expr.modes import *
from flydsl.expr.numeric import *
from flydsl.expr.pointer import *
from flydsl.expr.print import *
from flydsl.expr.shared import *
from flydsl.expr.shuffle import *
from flydsl.expr.storable import *
from flydsl.expr.storage import *
from flydsl.expr.stream import *
from flydsl.expr.struct import *
from flydsl.expr.target_words import install as _install
from flydsl.expr.target_words import target_module
from flydsl.expr.tensor import *
from flydsl.expr.tiled import *
from flydsl.expr.tiled_mma import *
from flydsl.expr.types import *
from flydsl.expr.vector import *
from flydsl.expr.vector_alias import *
from flydsl.expr.vector_types import *

_install()
_MODULES = ("derived", "enum", "primitive", "typing")  # the same names as here, grouped


def __getattr__(name: str) -> Any:
    """What is loaded when asked for: classes of IR types, the modules of names, a target's words from its plugin."""
    if name.startswith("__"):
        raise AttributeError(name)
    if name in IR_TYPES:
        return ir_type_class(name)
    if name in _MODULES:
        return import_module(f"flydsl.expr.{name}")
    try:
        return target_module(name)
    except AttributeError as error:
        from flydsl.expr.spelling import meant

        reason = meant(name, globals()) or f"and {error}"
        raise AttributeError(f"flydsl.expr has no word {name!r}, {reason}", name=name) from None
