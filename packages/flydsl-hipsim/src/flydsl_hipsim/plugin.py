"""Plugin manifest of this distribution; importing it loads nothing else."""

from __future__ import annotations

from flydsl.plugins import DeviceKind, DeviceRuntimeManifest, hookimpl
from flydsl_hipsim.settings import hipsim

NAME, KIND = "hipsim", "rocm"
HOOKS_READ = ("FLYDSL_HIPSIM",)
"""By it a user asks for the simulator."""


def runtime_manifest() -> DeviceRuntimeManifest:
    """The runtime `hipsim`; its kernels may use arrays of the host, as those of GPUs that share its memory."""
    return DeviceRuntimeManifest(
        name=NAME,
        api_version=4,
        factory="flydsl_hipsim.runtime:HipsimRuntime",
        kind=KIND,
        settings="flydsl_hipsim.settings:hipsim",
        device_kinds=frozenset({DeviceKind.CPU, DeviceKind.ROCM, DeviceKind.ROCM_HOST}),
        simulator=True,
        words={"flydsl.runtime.device.simulated": "flydsl_hipsim.settings:environment_of"},
        requested_by="FLYDSL_HIPSIM" if hipsim.devices else "",
    )


@hookimpl
def flydsl_device_runtimes() -> list[DeviceRuntimeManifest]:
    """The runtime `hipsim`."""
    return [runtime_manifest()]
