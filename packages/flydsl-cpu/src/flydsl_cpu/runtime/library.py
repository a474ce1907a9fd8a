"""ctypes bindings of the native library: one prototype for each function of src/native/api.cpp."""

from __future__ import annotations

import ctypes
from functools import cache

from flydsl.backend.runtime import Prototypes
from flydsl_cpu.toolkit import RUNTIME_LIBRARY

_I32, _U32, _U64, _PTR = ctypes.c_int32, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_void_p
_OUT = ctypes.POINTER(ctypes.c_void_p)

_PROTOTYPES: Prototypes = {
    "flycpu_api": (_PTR, ()),
    "flycpu_error_message": (ctypes.c_char_p, (_I32,)),
    "flycpu_configure": (_I32, (_I32, _U32)),
    "flycpu_set_python": (None, (_PTR,)),
    "flycpu_raise_interrupt": (None, ()),
    "flycpu_threads": (_I32, ()),
    "flycpu_threads_per_block": (_U32, ()),
    "flycpu_shared_bytes": (_U32, ()),
    "flycpu_allocate": (_I32, (_U64, _OUT)),
    "flycpu_free": (_I32, (_PTR,)),
    "flycpu_copy": (_I32, (_PTR, _PTR, _U64, _PTR)),
    "flycpu_memset": (_I32, (_PTR, _I32, _U64, _PTR)),
    "flycpu_stream_create": (_I32, (_OUT,)),
    "flycpu_stream_destroy": (_I32, (_PTR,)),
    "flycpu_stream_synchronize": (_I32, (_PTR,)),
    "flycpu_synchronize": (_I32, ()),
    "flycpu_event_create": (_I32, (_OUT,)),
    "flycpu_event_destroy": (_I32, (_PTR,)),
    "flycpu_event_record": (_I32, (_PTR, _PTR)),
    "flycpu_stream_wait_event": (_I32, (_PTR, _PTR)),
    "flycpu_event_synchronize": (_I32, (_PTR,)),
    "flycpu_event_elapsed": (_I32, (_PTR, _PTR, ctypes.POINTER(ctypes.c_double))),
}


@cache
def load_library() -> ctypes.CDLL:
    """The library with its prototypes set; LibraryMissingError when it is not there or of another version."""
    return RUNTIME_LIBRARY.open(_PROTOTYPES)
