"""ctypes bindings of the engine: a mirror of flysim.h."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_int32, c_uint32, c_uint64, c_void_p
from functools import cache
from typing import Any, ClassVar

from flydsl.backend.runtime import Prototypes
from flydsl_hipsim.settings import hipsim
from flydsl_hipsim.toolkit import native_library

OK, ERROR, NOT_FOUND, FAULT, BAD_LAUNCH, BAD_IMAGE, TRAPPED, NO_BINARY = range(8)
FORWARD, BACKWARD, RANDOM = range(3)
MESSAGE_BYTES = 2048
READ_ONLY = 1

LOAD_FUNCTION = ctypes.CFUNCTYPE(
    ctypes.c_int, c_void_p, c_uint64, c_char_p, POINTER(c_void_p), POINTER(ctypes.c_char), c_uint64
)
"""FlySimLoadFn."""


class KernelDesc(ctypes.Structure):
    """FlySimKernelDesc."""

    _fields_: ClassVar[list[tuple[str, Any]]] = [
        *((name, c_uint32) for name in (
            "struct_size", "entry", "kernarg_size", "implicit_offset", "static_lds", "private_bytes", "wave_size",
            "max_workgroup", "vgprs", "sgprs", "user_sgprs", "kernarg_preload", "kernarg_preload_offset", "user_bits",
            "sgpr_bits", "vgpr_ids", "float_mode", "ieee", "dx10_clamp", "uses_dynamic_stack", "hidden",
            "split_groups", "n_args",
        )),
        ("arg_offsets", POINTER(c_uint32)),
        ("arg_sizes", POINTER(c_uint32)),
    ]  # fmt: skip


class Launch(ctypes.Structure):
    """FlySimLaunch."""

    _fields_: ClassVar[list[tuple[str, Any]]] = [
        ("struct_size", c_uint32),
        ("grid", c_uint32 * 3),
        ("block", c_uint32 * 3),
        ("dynamic_lds", c_uint32),
        ("kernarg", c_void_p),
        ("kernarg_size", c_uint64),
        ("order", c_int32),
        ("seed", c_uint64),
        ("checks", c_uint32),
        ("threads", c_uint32),
        ("cooperative", c_uint32),
        ("arrays", c_void_p),
        ("n_arrays", c_uint64),
        ("stop", c_void_p),
        ("cluster", c_uint32 * 3),
    ]


_PROTOTYPES: Prototypes = {
    "flysim_memory_add": (None, (c_void_p, c_uint64, c_uint32)),
    "flysim_memory_remove": (None, (c_void_p,)),
    "flysim_memory_forget": (None, (c_void_p,)),
    "flysim_memory_find": (c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_uint64))),
    "flysim_set_loader": (None, (c_void_p,)),
    "flysim_module_unload": (None, (c_void_p,)),
    "flysim_module_kernel": (c_int32, (c_void_p, c_char_p, POINTER(c_void_p))),
    "flysim_module_global": (c_int32, (c_void_p, c_char_p, POINTER(c_void_p), POINTER(c_uint64))),
    "flysim_launch": (c_int32, (c_void_p, POINTER(Launch), c_char_p, c_uint64)),
    "flysim_instruction_count": (c_uint64, ()),
    "flysim_set_instruction_limit": (None, (c_uint64,)),
    "flysim_module_create": (c_void_p, (c_char_p, c_uint64)),
    "flysim_module_image": (c_void_p, (c_void_p,)),
    "flysim_module_code": (
        c_int32, (c_void_p, c_char_p, c_uint64, c_char_p, POINTER(c_uint32), c_uint64, c_char_p, c_char_p, c_uint64),
    ),
    "flysim_module_add_kernel": (c_int32, (c_void_p, c_char_p, POINTER(KernelDesc))),
    "flysim_module_add_global": (c_int32, (c_void_p, c_char_p, c_uint64, c_uint64)),
    "flysim_module_add_format": (None, (c_void_p, c_char_p)),
    "flysim_module_lines": (None, (c_void_p, c_char_p)),
    "flysim_profile": (c_uint64, (c_char_p, c_uint64)),
    "flysim_profile_clear": (None, ()),
    "flysim_opcodes": (c_char_p, ()),
}  # fmt: skip


@cache
def load_library() -> ctypes.CDLL:
    """The library with its prototypes set; LibraryMissingError when it is not there or of another version."""
    library = native_library().open(_PROTOTYPES)
    library.flysim_set_instruction_limit(hipsim.instructions)
    return library
