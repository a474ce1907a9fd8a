"""Environment variables that say which assembler makes machine code."""

from __future__ import annotations

import os

from flydsl.base.setting import Group, path, text


class CudaSettings(Group):
    """`flydsl_cuda.settings.cuda`."""

    ptxas = text("FLYDSL_CUDA_PTXAS", meaning="the `ptxas` program; `none`: PTX is the code and the driver assembles")
    cuda_home = path("CUDA_HOME", default=lambda: None, meaning="folder of a CUDA toolkit, whose `bin/ptxas` is used")


cuda = CudaSettings(os.environ)
