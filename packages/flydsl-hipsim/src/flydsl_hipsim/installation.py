"""The simulator installed as this process's runtime of kind `rocm`."""

from __future__ import annotations

from collections.abc import Sequence

from flydsl.backend.installed import requested_runtime
from flydsl.backend.installed import runtime_manifest as installed_manifest
from flydsl.plugins import register_device_runtime
from flydsl_hipsim.checks import Check
from flydsl_hipsim.options import Options
from flydsl_hipsim.plugin import KIND, NAME, runtime_manifest
from flydsl_hipsim.simulator import start


def install(
    arch: str | Sequence[str] = "gfx942",
    *,
    devices: int = 1,
    order: str = "forward",
    check: Check = 0,
    threads: int = 0,
    memory_bytes: int = 0,
    report: bool = False,
) -> None:
    """Run AMD kernels of this process on the CPU, through the same HIP runtime as on a GPU.

    `arch` is a chip such as `gfx942` for all `devices`, or a sequence with one for each; the other options are those of
    `Options`, `check` also in words: `races+waits`, `all`, `profile`. It may be called again to change options; devices
    stay once they were used. RuntimeStackError when device work of this process began elsewhere, or another HIP library
    is loaded already.
    """
    options = Options.of(
        arch, devices, order=order, check=check, threads=threads, memory_bytes=memory_bytes, report=report
    )
    start(options)
    if requested_runtime(KIND) != NAME:
        # The discovered manifest carries distribution and version: cache keys are those of a discovered runtime.
        register_device_runtime(installed_manifest(NAME) or runtime_manifest())
