"""`fx.nvvm`: the target API of NVIDIA GPUs. What the traced target lacks raises an error that names the target."""

from flydsl.backend.language import public_names as _public_names

from . import sm90 as sm90
from .barriers import *
from .bulk import *
from .clusters import *
from .functions import *
from .global_copies import *
from .pipelines import *
from .smem_layouts import *
from .tma import *
from .tma_atoms import *
from .warp_atoms import *
from .warps import *


def __dir__() -> list[str]:
    return _public_names(globals(), modules=["sm90"])
