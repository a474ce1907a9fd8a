"""`fx.rocdl`: the target API of AMD GPUs. What the traced target lacks raises an error that names the target.

Besides the names here there is a function for every operation of MLIR's `rocdl` dialect (`fx.rocdl.operations`).
"""

from typing import Any as _Any

from flydsl.backend.language import public_names as _public_names

from . import cdna3 as cdna3
from . import cdna4 as cdna4
from . import cdna5 as cdna5
from . import cluster as cluster
from . import experimental as experimental
from . import rdna3 as rdna3
from . import rdna4 as rdna4
from . import tdm_ops as tdm_ops
from . import universal as universal
from .assembly import *
from .async_marks import *
from .buffer import *
from .buffer_operations import *
from .copies import *
from .fp8 import *
from .lanes import *
from .matrix import *
from .operations import operation_function as _operation_function
from .schedule import *
from .scopes import *
from .tdm import *
from .units import *
from .waits import *


def __getattr__(name: str) -> _Any:
    """An operation of MLIR's dialect as a function, or the class of an IR type."""
    if name == "CopyOpCDNA3BufferCopyType":
        from flydsl_rocm.atoms.copy_types import BufferCopyType  # with the dialect, on first use

        return BufferCopyType
    return _operation_function(name)


def __dir__() -> list[str]:
    return _public_names(
        globals(),
        modules=["cdna3", "cdna4", "cdna5", "cluster", "experimental", "rdna3", "rdna4", "tdm_ops", "universal"],
    )
