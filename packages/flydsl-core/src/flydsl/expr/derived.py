"""Compositions of the primitive operations (`fx.derived`): tiled copies by threads, gather and scatter."""

from flydsl.expr.layouts.constructors import make_layout_tv as make_layout_tv
from flydsl.expr.memory.tensor import make_rmem_tensor as make_rmem_tensor
from flydsl.expr.tiles.gather_scatter import gather as gather
from flydsl.expr.tiles.gather_scatter import scatter as scatter
from flydsl.expr.tiles.tiled_copy import ThrCopy as ThrCopy
from flydsl.expr.tiles.tiled_copy import make_tiled_copy as make_tiled_copy
from flydsl.expr.tiles.tiled_copy import make_tiled_copy_tv as make_tiled_copy_tv
from flydsl.expr.tiles.tiled_mma import ThrMma as ThrMma
from flydsl.expr.tiles.tiled_mma import make_tiled_copy_A as make_tiled_copy_A
from flydsl.expr.tiles.tiled_mma import make_tiled_copy_B as make_tiled_copy_B
from flydsl.expr.tiles.tiled_mma import make_tiled_copy_C as make_tiled_copy_C
