"""Registration of the handlers with JAX: once in a process, whenever it is first needed."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING

from flydsl.backend.runtime import new_lock
from flydsl.base.errors import RuntimeFailure
from flydsl.jax import native
from flydsl.jax.platforms import CALL, Platform
from flydsl.plugins import claim_runtime, resolve_pair

if TYPE_CHECKING:
    from flydsl.plugins import DeviceRuntime

LauncherFinder = Callable[[Platform, str], bytes | None]
"""The launcher of a key, as the bytes of a shared object, from wherever it knows some; None when it has none."""

_finders: tuple[LauncherFinder, ...] = ()
_lock = new_lock()
_is_registered = False


def register() -> None:
    """Register the handlers of all platforms, before JAX has made its backends or after; later calls do nothing.

    A platform without a plugin of JAX in this process keeps its handlers for the one that may come.
    """
    global _is_registered
    if _is_registered:
        return
    with _lock:
        if not _is_registered:
            library = native.library()
            native.set_providers(use_runtime, _provide_launcher)
            for platform in Platform:
                _register_platform(library, platform)
            _is_registered = True


def use_runtime(platform: Platform) -> DeviceRuntime:
    """Begin device work of `platform`: the runtime that its kernels are launched through.

    It is claimed for the process; RuntimeStackError or NoDeviceError when that cannot be.
    """
    runtime = claim_runtime(resolve_pair(platform.backend))
    native.set_runtime(platform, runtime)
    return runtime


def add_launcher_finder(finder: LauncherFinder) -> None:
    """Ask `finder`, after those added before, for launchers that a call names and does not hold."""
    global _finders
    with _lock:
        _finders = (*_finders, finder)


def _provide_launcher(platform: Platform, key: str) -> None:
    for finder in _finders:
        image = finder(platform, key)
        if image is not None:
            native.add_launcher(platform, key, image)
            return


def _register_platform(library: ctypes.CDLL, platform: Platform) -> None:
    import jax.ffi  # here: the import of flydsl.jax does not import jax

    name = platform.registered
    state = {
        "type_id": _capsule(library.flydsl_jax_state_type(platform.number)),
        "type_info": _capsule(library.flydsl_jax_state_info()),
    }
    jax.ffi.register_ffi_type(CALL, state, platform=name)  # type: ignore[arg-type]
    for target, symbol in platform.handlers:
        handler = _capsule(ctypes.cast(getattr(library, symbol), ctypes.c_void_p).value)
        # api_version 1 is the typed FFI, which custom calls in modules name 4
        jax.ffi.register_ffi_target(target, dict.fromkeys(platform.stages, handler), platform=name, api_version=1)


def _capsule(address: int | None) -> object:
    import jax.ffi

    if not address:
        raise RuntimeFailure("an address of the native library is null: reinstall flydsl-jax")
    return jax.ffi.pycapsule(address)
