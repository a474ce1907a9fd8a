"""The native launch table, opened over the CUDA driver, and the driver's own functions with their types."""

from __future__ import annotations

import ctypes
from functools import cache

from flydsl.backend.runtime import NativeLibrary, Prototypes, new_lock
from flydsl.base.errors import LibraryMissingError

TABLE_LIBRARY = NativeLibrary("flydsl-cuda", "flydsl_cuda/libflydsl_cuda.so")
DRIVER = "libcuda.so.1"
OLDEST_DRIVER = 12000
"""CUDA 12.0, as `cuDriverGetVersion` counts: the first that reads the PTX and the machine code made here."""

_I32, _U32, _SIZE, _PTR = ctypes.c_int32, ctypes.c_uint32, ctypes.c_size_t, ctypes.c_void_p
_OUT_I32, _OUT = ctypes.POINTER(ctypes.c_int32), ctypes.POINTER(ctypes.c_void_p)
_ADDRESS = ctypes.c_uint64

_TABLE: Prototypes = {
    "flycuda_open": (_I32, (ctypes.c_char_p,)),
    "flycuda_api": (_PTR, ()),
    "flycuda_device_count": (_I32, (_OUT_I32,)),
    "flycuda_current_device": (_I32, (_OUT_I32,)),
    "flycuda_primary_context": (_I32, (_I32, _OUT)),
    "flycuda_enter": (_I32, (_I32, _OUT_I32)),
    "flycuda_leave": (None, (_I32,)),
    "flycuda_exchange_capture_mode": (_I32, (_I32,)),
    "flycuda_max_blocks": (_I32, (_PTR, _I32, _OUT_I32)),
    "flycuda_error_string": (ctypes.c_char_p, (_I32,)),
    "flycuda_error_message": (ctypes.c_char_p, (_I32,)),
}
_DRIVER: Prototypes = {
    "cuDriverGetVersion": (_I32, (_OUT_I32,)),
    "cuDeviceGetName": (_I32, (ctypes.c_char_p, _I32, _I32)),
    "cuDeviceGetAttribute": (_I32, (_OUT_I32, _I32, _I32)),
    "cuDeviceTotalMem_v2": (_I32, (ctypes.POINTER(_SIZE), _I32)),
    "cuDeviceCanAccessPeer": (_I32, (_OUT_I32, _I32, _I32)),
    "cuCtxEnablePeerAccess": (_I32, (_PTR, _U32)),
    "cuCtxSynchronize": (_I32, ()),
    "cuMemAlloc_v2": (_I32, (_OUT, _SIZE)),
    "cuMemAllocAsync": (_I32, (_OUT, _SIZE, _PTR)),
    "cuMemGetInfo_v2": (_I32, (ctypes.POINTER(_SIZE), ctypes.POINTER(_SIZE))),
    "cuMemFree_v2": (_I32, (_ADDRESS,)),
    "cuMemFreeAsync": (_I32, (_ADDRESS, _PTR)),
    "cuMemcpy": (_I32, (_ADDRESS, _ADDRESS, _SIZE)),
    "cuMemcpyAsync": (_I32, (_ADDRESS, _ADDRESS, _SIZE, _PTR)),
    "cuMemcpyPeerAsync": (_I32, (_ADDRESS, _PTR, _ADDRESS, _PTR, _SIZE, _PTR)),
    "cuMemsetD8Async": (_I32, (_ADDRESS, ctypes.c_uint8, _SIZE, _PTR)),
    "cuStreamCreate": (_I32, (_OUT, _U32)),
    "cuStreamDestroy_v2": (_I32, (_PTR,)),
    "cuStreamSynchronize": (_I32, (_PTR,)),
    "cuStreamWaitEvent": (_I32, (_PTR, _PTR, _U32)),
    "cuEventCreate": (_I32, (_OUT, _U32)),
    "cuEventDestroy_v2": (_I32, (_PTR,)),
    "cuEventRecord": (_I32, (_PTR, _PTR)),
    "cuEventQuery": (_I32, (_PTR,)),
    "cuEventSynchronize": (_I32, (_PTR,)),
    "cuEventElapsedTime": (_I32, (ctypes.POINTER(ctypes.c_float), _PTR, _PTR)),
}
_opening = new_lock()


class CudaMissingError(LibraryMissingError):
    """CUDA cannot be used: the driver is not there, cannot start or is too old; the message says which."""


@cache
def table_library() -> ctypes.CDLL:
    """Our library alone; LibraryMissingError when it is not there or of another version."""
    return TABLE_LIBRARY.open(_TABLE)


def open_library() -> ctypes.CDLL:
    """Our library, with the driver started under it; CudaMissingError when that cannot be."""
    library = table_library()
    with _opening:
        code = library.flycuda_open(DRIVER.encode())
    if code:
        text: bytes = library.flycuda_error_message(code)
        raise CudaMissingError(f"the CUDA driver cannot be used: {text.decode(errors='replace')}")
    version = ctypes.c_int32()
    driver_library().cuDriverGetVersion(ctypes.byref(version))
    if version.value < OLDEST_DRIVER:
        raise CudaMissingError(
            f"the CUDA driver is for CUDA {_release(version.value)}, and {_release(OLDEST_DRIVER)} or newer is needed: "
            "update the driver"
        )
    return library


@cache
def driver_library() -> ctypes.CDLL:
    """The driver, which `open_library` has opened, with the functions that are called from Python."""
    try:
        library = ctypes.CDLL(DRIVER)
        for name, (result, arguments) in _DRIVER.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError) as error:
        raise CudaMissingError(f"the CUDA driver cannot be used: {error}; update the driver") from None
    return library


def _release(version: int) -> str:
    return f"{version // 1000}.{version % 1000 // 10}"
