"""The native library: XLA's handlers, the launchers and device runtimes that they call."""

from __future__ import annotations

import atexit
import ctypes
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from flydsl.backend.runtime import NativeLibrary, Prototypes, launcher_error
from flydsl.base.errors import RuntimeFailure
from flydsl.jax.platforms import Platform

if TYPE_CHECKING:
    from flydsl.plugins import DeviceRuntime

LIBRARY = NativeLibrary("flydsl-jax", "flydsl_jax/libflydsl_jax.so")

_I32, _U64, _PTR, _TEXT = ctypes.c_int32, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_char_p
_TEXT_BYTES = 1024

# A callback writes its text to an address: a c_char_p would arrive as a copy.
_DescribeFn = ctypes.CFUNCTYPE(_I32, _I32, _PTR, _U64)
_ProvideRuntimeFn = ctypes.CFUNCTYPE(_I32, _I32, _PTR, _U64)
_ProvideLauncherFn = ctypes.CFUNCTYPE(_I32, _I32, _TEXT, _PTR, _U64)


class Counts(NamedTuple):
    """What happened in this process: call sites made and gone, launchers opened, modules loaded on devices."""

    instantiated: int
    destroyed: int
    opened: int
    loaded: int


_Counts = _U64 * len(Counts._fields)
_PROTOTYPES: Prototypes = {
    **{symbol: (_PTR, (_PTR,)) for platform in Platform for _, symbol in platform.handlers},
    "flydsl_jax_state_type": (_PTR, (_I32,)),
    "flydsl_jax_state_info": (_PTR, ()),
    "flydsl_jax_counts": (None, (ctypes.POINTER(_Counts),)),
    "flydsl_jax_set_runtime": (_I32, (_I32, _PTR, _DescribeFn, _TEXT, _U64)),
    "flydsl_jax_set_providers": (None, (_ProvideRuntimeFn, _ProvideLauncherFn)),
    "flydsl_jax_forget_python": (None, ()),
    "flydsl_jax_add_launcher": (_I32, (_I32, _TEXT, _TEXT, _U64, _TEXT, _U64)),
    "flydsl_jax_check_plan": (_I32, (_TEXT, _U64, _TEXT, _U64)),
}

_kept: list[object] = []
"""Callbacks that the library has: they may be called as long as the process lives."""


@cache
def library() -> ctypes.CDLL:
    """The library, never closed: XLA keeps addresses in it. LibraryMissingError when it is not built."""
    opened = LIBRARY.open(_PROTOTYPES)
    atexit.register(opened.flydsl_jax_forget_python)
    return opened


def counts() -> Counts:
    """What happened until now."""
    found = _Counts()
    library().flydsl_jax_counts(ctypes.byref(found))
    return Counts(*found)


def set_runtime(platform: Platform, runtime: DeviceRuntime) -> None:
    """Launch the kernels of `platform` through `runtime`; RuntimeFailure when it has another one already."""

    def describe(code: int, text: int, size: int) -> int:
        try:
            _write(launcher_error(code) or runtime.error_message(code), text, size)
        except BaseException as error:  # nothing may leave a callback
            _write(f"{type(error).__name__}: {error}", text, size)
        return 0

    callback = _DescribeFn(describe)
    _kept.append(callback)
    _check(library().flydsl_jax_set_runtime, platform.number, runtime.api_table(), callback)


def set_providers(
    provide_runtime: Callable[[Platform], object], provide_launcher: Callable[[Platform, str], object]
) -> None:
    """Who is asked for the runtime of a platform, and for the launcher of a key, when XLA calls what is not there.

    Each calls `set_runtime` or `add_launcher`; what it raises becomes the text of the error in XLA. They are called on
    XLA's threads.
    """
    platforms = {platform.number: platform for platform in Platform}

    def runtime(number: int, text: int, size: int) -> int:
        return _explained(provide_runtime, (platforms[number],), text, size)

    def launcher(number: int, key: bytes, text: int, size: int) -> int:
        return _explained(provide_launcher, (platforms[number], key.decode()), text, size)

    callbacks = _ProvideRuntimeFn(runtime), _ProvideLauncherFn(launcher)
    _kept.append(callbacks)
    library().flydsl_jax_set_providers(*callbacks)


def add_launcher(platform: Platform, key: str, image: bytes) -> None:
    """Open the launcher in the bytes of a shared object under its key, unless that is known; RuntimeFailure if bad."""
    _check(library().flydsl_jax_add_launcher, platform.number, key.encode(), image, len(image))


def check_plan(plan: bytes) -> None:
    """RuntimeFailure with the reason when the library cannot read `plan`."""
    _check(library().flydsl_jax_check_plan, plan, len(plan))


def _check(function: Callable[..., int], *arguments: object) -> None:
    text = ctypes.create_string_buffer(_TEXT_BYTES)
    if function(*arguments, text, _TEXT_BYTES):
        raise RuntimeFailure(text.value.decode(errors="replace"))


def _explained(provide: Callable[..., object], arguments: tuple[object, ...], address: int, size: int) -> int:
    """Call `provide`; what it raises becomes text at `address`, as nothing may leave a callback."""
    try:
        provide(*arguments)
    except BaseException as error:
        _write(f"{type(error).__name__}: {error}", address, size)
        return 1
    return 0


def _write(text: str, address: int, size: int) -> None:
    data = text.encode(errors="replace")[: size - 1] + b"\0"
    ctypes.memmove(address, data, len(data))
