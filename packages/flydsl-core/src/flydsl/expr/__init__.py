"""The language: `import flydsl.expr as fx`; target namespaces come from installed plugins."""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from flydsl.base.namespace import public_names as _public_names
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
from flydsl.expr.targets.ir_types import IR_TYPES as _IR_TYPES
from flydsl.expr.targets.ir_types import ir_type_class as _ir_type_class
from flydsl.expr.targets.target_namespace import SearchPath as _SearchPath
from flydsl.expr.targets.target_namespace import target_module as _target_module
from flydsl.expr.threads.compile_time import *
from flydsl.expr.threads.loops import *
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

if _TYPE_CHECKING:  # what __getattr__ loads
    from flydsl.expr import derived as derived
    from flydsl.expr import enum as enum
    from flydsl.expr import ktrace as ktrace
    from flydsl.expr import llvm as llvm
    from flydsl.expr import primitive as primitive
    from flydsl.expr import random as random
    from flydsl.expr import typing as typing
    from flydsl.expr.primitive import CopyOpUniversalCopyType as CopyOpUniversalCopyType
    from flydsl.expr.primitive import MmaOpUniversalFMAType as MmaOpUniversalFMAType
    from flydsl.extension import coop as coop
    from flydsl.ir.fly.types import BasisType as BasisType
    from flydsl.ir.fly.types import ComposedLayoutType as ComposedLayoutType
    from flydsl.ir.fly.types import CoordSwizzleType as CoordSwizzleType
    from flydsl.ir.fly.types import CoordTensorType as CoordTensorType
    from flydsl.ir.fly.types import CopyAtomType as CopyAtomType
    from flydsl.ir.fly.types import IntTupleType as IntTupleType
    from flydsl.ir.fly.types import LayoutType as LayoutType
    from flydsl.ir.fly.types import MemRefType as MemRefType
    from flydsl.ir.fly.types import MmaAtomType as MmaAtomType
    from flydsl.ir.fly.types import PointerType as PointerType
    from flydsl.ir.fly.types import SwizzleType as SwizzleType
    from flydsl.ir.fly.types import TiledCopyType as TiledCopyType
    from flydsl.ir.fly.types import TiledMmaType as TiledMmaType
    from flydsl.ir.fly.types import TileType as TileType

__path__ = _SearchPath(__path__)  # noqa: F405 - the import system sets it
_MODULES = {
    "coop": "flydsl.extension.coop",
    "ktrace": "flydsl.expr.ktrace",
    "llvm": "flydsl.expr.llvm",
    "random": "flydsl.expr.random",
    "utils": "flydsl.expr.utils",
}  # of names of their own
_GROUPS = ("derived", "enum", "primitive", "typing")  # the same names as here, grouped


def __getattr__(name: str) -> _Any:
    """Names loaded on first use: classes of IR types, the modules of groups, target namespaces from plugins."""
    if name.startswith("__"):
        raise AttributeError(name)
    if name == "ArithValue":
        return arith.ArithValue
    if name in _IR_TYPES:
        return _ir_type_class(name)
    if name in _GROUPS or name in _MODULES:
        return _import_module(_MODULES.get(name, f"flydsl.expr.{name}"))
    try:
        return _target_module(name)
    except AttributeError as error:
        found = _of_other_versions(name)
        if found is not None:
            return found
        from flydsl.expr.tracing.unsupported import meant

        reason = meant(name, __dir__()) or f"and {error}"
        raise AttributeError(f"flydsl.expr has no attribute {name!r}, {reason}", name=name) from None


def _of_other_versions(name: str) -> object:
    from flydsl.base.other_versions import other_name

    try:
        return other_name(__name__, name)
    except AttributeError as error:
        if ": versions " in str(error):  # known, and not of the version that is imitated
            raise
        return None


def __dir__() -> list[str]:
    """The public names: not the rooms, and not what this file imports for itself."""
    modules = ("arith", "gpu", "math", "numeric", *_GROUPS, *_MODULES)
    return sorted({*_public_names(globals()), *_IR_TYPES, *modules})
