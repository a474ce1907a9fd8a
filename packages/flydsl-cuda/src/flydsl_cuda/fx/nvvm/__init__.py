"""`fx.nvvm`: the target API of NVIDIA GPUs. What the traced target lacks raises an error that names the target."""

from . import sm90 as sm90
from .barriers import *
from .bulk import *
from .clusters import *
from .pipelines import *
from .smem_layouts import *
from .tma import *
from .tma_atoms import *
from .warp_atoms import *
from .warps import *
