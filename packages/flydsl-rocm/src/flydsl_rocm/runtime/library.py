"""The native launch table, opened over the HIP library that hip-python uses."""

from __future__ import annotations

import ctypes
import os
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from flydsl.backend.runtime import NativeLibrary, Prototypes, new_lock
from flydsl.base.errors import LibraryMissingError

TABLE_LIBRARY = NativeLibrary("flydsl-rocm", "flydsl_rocm/libflydsl_rocm.so")

_I32, _PTR = ctypes.c_int32, ctypes.c_void_p
_OUT_I32 = ctypes.POINTER(ctypes.c_int32)

_PROTOTYPES: Prototypes = {
    "flyrocm_open": (_I32, (ctypes.c_char_p,)),
    "flyrocm_api": (_PTR, ()),
    "flyrocm_device_count": (_I32, (_OUT_I32,)),
    "flyrocm_current_device": (_I32, (_OUT_I32,)),
    "flyrocm_exchange_capture_mode": (_I32, (_I32,)),
    "flyrocm_error_string": (ctypes.c_char_p, (_I32,)),
    "flyrocm_error_message": (ctypes.c_char_p, (_I32,)),
}
_opening = new_lock()


class HipMissingError(LibraryMissingError):
    """HIP cannot be used: a library or hip-python is not there; the message says which and what to install."""


def open_library() -> ctypes.CDLL:
    """Our library, with the HIP library open under it."""
    library = table_library()
    with _opening:
        code = library.flyrocm_open(hip_library_path())
    if code:
        text: bytes = library.flyrocm_error_message(code)
        raise HipMissingError(f"the HIP library cannot be opened: {text.decode(errors='replace')}")
    _check_one_hip()
    return library


@cache
def table_library() -> ctypes.CDLL:
    """Our library alone; LibraryMissingError when it is not there or of another version."""
    return TABLE_LIBRARY.open(_PROTOTYPES)


def hip_library_path() -> bytes:
    """The HIP library that hip-python opens."""
    if find_spec("rocm") is None or find_spec("rocm.bindings.hip") is None:
        found = "an older hip-python is installed" if find_spec("hip") else "hip-python is not installed"
        raise HipMissingError(f"{found}: pip install 'flydsl-rocm[hip]' (hip-python >= 10)")
    from rocm.bindings.util.paths import get_library_path

    path: bytes = get_library_path("amdhip64")
    return path


def _check_one_hip() -> None:
    """Refuse two copies of HIP in one process: streams and memory of one mean nothing to the other."""
    copies = _loaded_copies(Path("/proc/self/maps"))
    if len(copies) > 1:
        raise HipMissingError(
            f"two HIP libraries are loaded: {' and '.join(copies)}; "
            "set ROCM_PATH to the folder of the one that the other framework uses"
        )


def _loaded_copies(maps: Path) -> list[str]:
    try:
        lines = maps.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    paths = {line.split(maxsplit=5)[5] for line in lines if "libamdhip64.so" in line}
    return sorted({os.path.realpath(path) for path in paths})
