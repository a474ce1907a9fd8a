"""The files of AMD's device libraries (ocml, ockl) that code may be linked with; each start looks for them."""

from __future__ import annotations

import os
from pathlib import Path

from flydsl_rocm.settings import rocm

_LIBRARIES = ("hip.bc", "ockl.bc", "ocml.bc", "opencl.bc")  # all that MLIR links by itself


def device_libraries() -> list[Path]:
    """The files that kernels may be linked with; none when none are installed."""
    from flydsl_mlir.toolkit import find_device_libraries

    folder = find_device_libraries(rocm.rocm_path)
    return [folder / name for name in _LIBRARIES if os.path.isfile(folder / name)] if folder else []
