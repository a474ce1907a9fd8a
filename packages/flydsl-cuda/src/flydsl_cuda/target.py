"""NVIDIA targets: what code generation must know of an architecture name."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from flydsl.base.errors import FlyDSLError, UnsupportedTargetError

TRIPLE = "nvptx64-nvidia-cuda"
DEFAULT_ARCH = "sm_90a"
"""What is compiled for when no device and no setting says otherwise: H100 and H200."""
WARP_SIZE = 32
NEWEST_PTX = 90
"""The newest version of PTX that LLVM 22 writes, times ten."""


@dataclass(frozen=True, slots=True)
class CudaTarget:
    """One chip: the compute capability that devices report, and the oldest PTX version that knows it, times ten.

    No chip is given PTX older than 8.0, of CUDA 12.0.
    """

    chip: str
    capability: tuple[int, int]
    oldest_ptx: int = 80
    max_cluster: int = 1
    """The most blocks that a cluster may have on every device."""
    shared_bytes: int = 227 << 10
    """The most shared memory that a block may have."""
    warp_group_products: bool = False
    """Whether it has Hopper's matrix instructions of warp groups (`wgmma`)."""
    register_budgets: bool = False
    """Whether warps hand registers to one another (`setmaxnreg`)."""


TARGETS: dict[str, CudaTarget] = {
    target.chip: target
    for target in (
        CudaTarget("sm_80", (8, 0), shared_bytes=163 << 10),
        CudaTarget("sm_86", (8, 6), shared_bytes=99 << 10),
        CudaTarget("sm_89", (8, 9), shared_bytes=99 << 10),
        CudaTarget("sm_90", (9, 0), max_cluster=8),
        CudaTarget("sm_90a", (9, 0), max_cluster=8, warp_group_products=True, register_budgets=True),
        CudaTarget("sm_100a", (10, 0), 86, max_cluster=8, register_budgets=True),
        CudaTarget("sm_103a", (10, 3), 88, max_cluster=8, register_budgets=True),
        CudaTarget("sm_120a", (12, 0), 87, max_cluster=8, shared_bytes=99 << 10, register_budgets=True),
    )
}
"""The chips that this backend is made for; an `a` stands for the instructions of this one capability."""


def target_of(arch: str) -> CudaTarget:
    """The target of a chip name such as `sm_90a`."""
    target = TARGETS.get(arch.strip().lower())
    if target is None:
        raise UnsupportedTargetError(f"backend 'cuda' does not know architecture {arch!r}; known: {', '.join(TARGETS)}")
    return target


def is_known(arch: str) -> bool:
    """Whether `target_of` takes it."""
    return arch.strip().lower() in TARGETS


def chip_of(major: int, minor: int) -> str:
    """The chip name for the compute capability of a device: with the instructions that only it has, where there are."""
    found = [name for name, target in TARGETS.items() if target.capability == (major, minor)]
    return found[-1] if found else f"sm_{major}{minor}"


def default_arch() -> str:
    """The chip of this thread's current device, else DEFAULT_ARCH."""
    return _current_chip() or DEFAULT_ARCH


def _current_chip() -> str:
    """Of the runtime that would run the code; without a device an empty string."""
    from flydsl.plugins import device_runtime, resolve_pair  # here: code is made where no plugin is installed, too

    with suppress(FlyDSLError):
        runtime = device_runtime(resolve_pair("cuda"))
        if runtime.status().available:
            return runtime.device_info(runtime.current_ordinal()).arch
    return ""
