"""`fx.rocdl`: the target API of AMD GPUs. What the traced target lacks raises an error that names the target."""

from . import cdna3 as cdna3
from . import cdna4 as cdna4
from . import cdna5 as cdna5
from . import rdna3 as rdna3
from . import rdna4 as rdna4
from . import tdm_ops as tdm_ops
from .async_marks import *
from .buffer import *
from .copies import *
from .fp8 import *
from .lanes import *
from .matrix import *
from .schedule import *
from .scopes import *
from .tdm import *
from .units import *
from .waits import *
