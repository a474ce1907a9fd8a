"""The language: `import flydsl.expr as fx`; target namespaces come from installed plugins."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from flydsl.expr import arith as arith
from flydsl.expr import gpu as gpu
from flydsl.expr import math as math
from flydsl.expr.arith import *
from flydsl.expr.gpu import *
from flydsl.expr.layouts.algebra import *
from flydsl.expr.layouts.constructors import *
from flydsl.expr.layouts.int_tuple import *
from flydsl.expr.layouts.layout import *
from flydsl.expr.layouts.modes import *
from flydsl.expr.math import *
from flydsl.expr.memory.address_space import *
from flydsl.expr.memory.atomics import *
from flydsl.expr.memory.pointer import *
from flydsl.expr.memory.shared import *
from flydsl.expr.memory.storable import *
from flydsl.expr.memory.storage import *
from flydsl.expr.memory.tensor import *
from flydsl.expr.numbers.type_names import *
from flydsl.expr.numbers.vector import *
from flydsl.expr.numbers.vector_alias import *
from flydsl.expr.numbers.vector_names import *
from flydsl.expr.numeric import *
from flydsl.expr.struct import *
from flydsl.expr.targets.ir_types import IR_TYPES, ir_type_class
from flydsl.expr.targets.target_namespace import SearchPath as _SearchPath
from flydsl.expr.targets.target_namespace import target_module
from flydsl.expr.threads.compile_time import *
from flydsl.expr.threads.printf import *
from flydsl.expr.threads.shuffle import *
from flydsl.expr.threads.stream import *
from flydsl.expr.tiles.atomic_copies import *
from flydsl.expr.tiles.atoms import *
from flydsl.expr.tiles.copy_and_gemm import *
from flydsl.expr.tiles.enums import *
from flydsl.expr.tiles.gather_scatter import *
from flydsl.expr.tiles.tiled_copy import *
from flydsl.expr.tiles.tiled_mma import *
from flydsl.expr.values.ir_values import *

__path__ = _SearchPath(__path__)  # noqa: F405 - the import system sets it
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
        from flydsl.expr.tracing.unsupported import meant

        reason = meant(name, globals()) or f"and {error}"
        raise AttributeError(f"flydsl.expr has no word {name!r}, {reason}", name=name) from None
