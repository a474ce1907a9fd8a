"""The Fly dialect: `Fly` for contexts, and all of its types, attributes and operations by name."""

from __future__ import annotations

from xdsl.ir import Dialect

from flydsl.ir.fly import atoms, attributes, copy_ops, int_tuple_ops, layout_ops, memory_ops, mma_ops, types
from flydsl.ir.fly.atoms import *  # noqa: F403
from flydsl.ir.fly.attributes import *  # noqa: F403
from flydsl.ir.fly.copy_ops import *  # noqa: F403
from flydsl.ir.fly.int_tuple_ops import *  # noqa: F403
from flydsl.ir.fly.layout_ops import *  # noqa: F403
from flydsl.ir.fly.memory_ops import *  # noqa: F403
from flydsl.ir.fly.mma_ops import *  # noqa: F403
from flydsl.ir.fly.types import *  # noqa: F403

__all__ = ["Fly"]
__all__ += atoms.__all__
__all__ += attributes.__all__
__all__ += copy_ops.__all__
__all__ += int_tuple_ops.__all__
__all__ += layout_ops.__all__
__all__ += memory_ops.__all__
__all__ += mma_ops.__all__
__all__ += types.__all__

_OPERATION_FILES = (int_tuple_ops, layout_ops, memory_ops, copy_ops, mma_ops)

Fly = Dialect(
    "fly",
    [getattr(file, name) for file in _OPERATION_FILES for name in file.__all__],
    [getattr(types, name) for name in types.__all__ if name.endswith("Type") and name != "PayloadType"]
    + [getattr(attributes, name) for name in attributes.__all__ if name.endswith("Attr")],
)
"""The dialect, for `Context.load_dialect`."""
