"""Device runtimes: the launcher's table of functions, native libraries, the processor at hand, locks and failures.

The abstract class, its data and its manifest are in `flydsl.plugins`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flydsl.base.namespace import lazy_names
from flydsl.base.process.fork_locks import new_lock
from flydsl.runtime.abi import (
    ABI_VERSION,
    TENSOR_MAP_ALIGNMENT,
    TENSOR_MAP_BYTES,
    EncodeTensorMapFn,
    FlyLaunchConfig,
    FlyRuntimeApi,
    FlyTensorMapSpec,
    LaunchFn,
    ModuleLoadFn,
    ModuleUnloadFn,
    include_dir,
    launcher_error,
)

if TYPE_CHECKING:  # loaded when they are asked for
    from flydsl.runtime.kernel import failure_of
    from flydsl.runtime.machine import machine_name, x86_levels
    from flydsl.runtime.native_library import NativeLibrary, Prototypes

__all__ = [
    "ABI_VERSION",
    "TENSOR_MAP_ALIGNMENT",
    "TENSOR_MAP_BYTES",
    "EncodeTensorMapFn",
    "FlyLaunchConfig",
    "FlyRuntimeApi",
    "FlyTensorMapSpec",
    "LaunchFn",
    "ModuleLoadFn",
    "ModuleUnloadFn",
    "NativeLibrary",
    "Prototypes",
    "failure_of",
    "include_dir",
    "launcher_error",
    "machine_name",
    "new_lock",
    "x86_levels",
]

__getattr__ = lazy_names(
    __name__,
    {
        "failure_of": "flydsl.runtime.kernel",
        "machine_name": "flydsl.runtime.machine",
        "x86_levels": "flydsl.runtime.machine",
        "NativeLibrary": "flydsl.runtime.native_library",
        "Prototypes": "flydsl.runtime.native_library",
    },
)
