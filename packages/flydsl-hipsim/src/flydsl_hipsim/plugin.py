"""Plugin manifest of this distribution; importing it loads nothing else."""

from __future__ import annotations

from flydsl.plugins import DeviceRuntimeManifest, hookimpl
from flydsl_hipsim.settings import hipsim

NAME, KIND = "hipsim", "rocm"

_DLPACK_CPU, _DLPACK_ROCM, _DLPACK_ROCM_HOST = 1, 10, 11


def runtime_manifest() -> DeviceRuntimeManifest:
    """The runtime `hipsim`; its kernels may use arrays of the host, as those of GPUs that share its memory."""
    return DeviceRuntimeManifest(
        name=NAME,
        factory="flydsl_hipsim.runtime:HipsimRuntime",
        kind=KIND,
        device_kinds=frozenset({_DLPACK_CPU, _DLPACK_ROCM, _DLPACK_ROCM_HOST}),
        simulator=True,
        requested_by="FLYDSL_HIPSIM" if hipsim.devices else "",
    )


@hookimpl
def flydsl_device_runtimes() -> list[DeviceRuntimeManifest]:
    """The runtime `hipsim`."""
    return [runtime_manifest()]
