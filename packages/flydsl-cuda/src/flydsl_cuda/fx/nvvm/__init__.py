"""`fx.nvvm`: the target API of NVIDIA GPUs. What the traced target lacks raises an error that names the target."""

from .barriers import *
from .clusters import *
from .tma import *
from .tma_atoms import *
from .warps import *
