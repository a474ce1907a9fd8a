"""`fx.rocdl`: the target API of AMD GPUs. What the traced target lacks raises an error that names the target."""

from flydsl_rocm.expr import cdna3 as cdna3
from flydsl_rocm.expr import cdna4 as cdna4
from flydsl_rocm.expr import rdna3 as rdna3
from flydsl_rocm.expr import rdna4 as rdna4
from flydsl_rocm.expr.async_marks import *
from flydsl_rocm.expr.buffer import *
from flydsl_rocm.expr.copies import *
from flydsl_rocm.expr.fp8 import *
from flydsl_rocm.expr.lanes import *
from flydsl_rocm.expr.matrix import *
from flydsl_rocm.expr.schedule import *
from flydsl_rocm.expr.scopes import *
from flydsl_rocm.expr.units import *
from flydsl_rocm.expr.waits import *
