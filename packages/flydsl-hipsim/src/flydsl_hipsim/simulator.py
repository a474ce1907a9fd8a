"""The simulator at work as this process's HIP: started once, before any other HIP is loaded."""

from __future__ import annotations

import atexit
import ctypes
import os
from ctypes import c_char_p, c_int32, c_int64, c_uint32, c_uint64
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from flydsl.backend.runtime import Prototypes, new_lock
from flydsl.base.errors import RuntimeStackError, SettingError
from flydsl_hipsim.options import Options
from flydsl_hipsim.settings import hipsim
from flydsl_hipsim.toolkit import library_path, native_library

_END_MS = 5_000
"""How long the end of the process waits for streams."""

_PROTOTYPES: Prototypes = {
    "flysim_hip_configure": (c_int32, (c_uint32, ctypes.POINTER(c_char_p), c_uint64)),
    "flysim_hip_options": (None, (c_int32, c_uint64, c_uint32, c_uint32)),
    "flysim_hip_fail_next": (c_int32, (c_char_p, c_int64, c_int32)),
    "flysim_hip_fail_none": (None, ()),
    "flysim_hip_calls": (c_uint64, (c_char_p, c_uint64)),
    "flysim_hip_report": (c_uint64, (c_char_p, c_uint64)),
    "flysim_hip_forget_misuses": (None, ()),
    "flysim_hip_report_at_exit": (None, ()),
    "flysim_hip_clear_faults": (None, ()),
    "flysim_hip_stop": (None, (c_int32,)),
    "flysim_hip_arrays_begin": (c_int32, (ctypes.c_void_p, c_uint64, c_char_p, c_uint64)),
    "flysim_hip_arrays_wait": (c_int32, (c_uint32,)),
    "flysim_hip_arrays_end": (None, ()),
    "flysim_hip_wait": (c_int32, (c_uint32,)),
    "flysim_hip_wait_device": (c_int32, (c_int32, c_uint32)),
    "flysim_hip_wait_stream": (c_int32, (ctypes.c_void_p, c_uint32)),
    "flysim_hip_wait_event": (c_int32, (ctypes.c_void_p, c_uint32)),
    "hipGetErrorString": (c_char_p, (c_int32,)),
}


class _State:
    """What runs in this process."""

    def __init__(self) -> None:
        self.lock = new_lock()
        self.options: Options | None = None


_state = _State()


def running_options() -> Options | None:
    """What `start` was last given; None before."""
    return _state.options


def chosen_options() -> Options:
    """What FLYDSL_HIPSIM says, else one gfx942."""
    text = hipsim.devices
    try:
        return Options.parse(text)
    except ValueError as error:
        raise SettingError(f"FLYDSL_HIPSIM is {text!r}: {error}") from None


def problem() -> str:
    """Why the simulator cannot start in this process, or an empty string; loads nothing."""
    if library_path() is None:
        return f"{native_library().name!r} of flydsl-hipsim was not found: it is not built, reinstall it"
    others = _other_copies()
    if others:
        return f"another HIP library is loaded already: {', '.join(others)}; install the simulator before its first use"
    return ""


def start(options: Options) -> None:
    """Load the library so that whoever asks for HIP finds it, and set its devices and options.

    A later start may change everything but the devices once one of them was used. RuntimeStackError when it cannot.
    """
    with _state.lock:
        why = problem()
        if why:
            raise RuntimeStackError(why)
        functions = hip_functions()
        if _state.options is None or _devices(_state.options) != _devices(options):
            _configure(functions, options)
        functions.flysim_hip_options(options.order_number, options.seed, options.check, options.threads)
        if options.report:
            functions.flysim_hip_report_at_exit()
        _state.options = options
    _lead_hip_python()


@cache
def hip_functions() -> ctypes.CDLL:
    """The library, visible to all of the process, with the loader for code objects and prototypes set."""
    from flydsl_hipsim.loader import install_loader

    library = native_library().open(_PROTOTYPES, mode=ctypes.RTLD_GLOBAL)
    install_loader()
    atexit.register(_end, library)
    return library


def _end(library: ctypes.CDLL) -> None:
    """Stop the devices for good: functions of the host that streams call must not need a Python that is gone."""
    from flydsl_hipsim.loader import end_loads

    end_loads(_END_MS / 1000)
    library.flysim_hip_stop(1)
    library.flysim_hip_wait(_END_MS)


def _devices(options: Options) -> tuple[tuple[str, ...], int]:
    return options.archs, options.memory_bytes


def _configure(functions: ctypes.CDLL, options: Options) -> None:
    names = (c_char_p * len(options.archs))(*(arch.encode() for arch in options.archs))
    code = functions.flysim_hip_configure(len(options.archs), names, options.memory_bytes)
    if code:
        text = functions.hipGetErrorString(code).decode()
        raise RuntimeStackError(f"the devices {', '.join(options.archs)} cannot be simulated: {text}")


def _other_copies() -> list[str]:
    """HIP libraries of this process that are not ours."""
    try:
        lines = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    paths = {os.path.realpath(line.split(maxsplit=5)[5]) for line in lines if "libamdhip64.so" in line}
    return sorted(paths - {os.path.realpath(str(library_path()))})


def _lead_hip_python() -> None:
    """hip-python takes a loaded library by its bare name, but prefers the path of an installed ROCm: not now."""
    if find_spec("rocm") is None or find_spec("rocm.bindings.util") is None:
        return
    from rocm.bindings.util import paths

    original = paths.get_library_path
    ours = os.fsencode(str(library_path()))
    if original("amdhip64") in (b"libamdhip64.so", ours):
        return

    def get_library_path(shortname: str, bundled_location: Path | None = None) -> bytes:
        found: bytes = original(shortname, bundled_location)
        return ours if shortname == "amdhip64" else found

    paths.get_library_path = get_library_path
