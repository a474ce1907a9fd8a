"""Loaded code: host launchers from shared objects, kernels from device code objects.

`load_launcher` is the whole of a warm start: it imports ctypes and nothing heavier.
"""

from __future__ import annotations

import _ctypes
import contextlib
import ctypes
import itertools
import os
import sys
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from flydsl.base.errors import RuntimeFailure
from flydsl.base.startup.pattern import pattern
from flydsl.plugins.active.border import checked_module, checked_table
from flydsl.runtime.abi import FlyRuntimeApi, launcher_error, raised

if TYPE_CHECKING:
    from flydsl.plugins.device_runtime import DeviceRuntime
    from flydsl.runtime.device import Device

_PTR, _I32 = ctypes.c_void_p, ctypes.c_int32
_serial = itertools.count(1)


_KERNEL = r"kernel '(\w+)'"  # as the texts of runtimes name one


class LoadedLauncher(NamedTuple):
    """A launcher's three functions; keep it alive as long as one of them may be called.

    Each returns an error code (`check_launch`). `fly_launch_packed(table, module, ordinal, stream, packed)` takes
    integers and the packed slots as bytes: that is the call of prepared launches.
    """

    fly_load: Callable[..., int]
    fly_launch: Callable[..., int]
    fly_launch_packed: Callable[..., int]
    library: ctypes.CDLL

    def load(self, runtime: DeviceRuntime, ordinal: int) -> int:
        """Load the embedded code object on a device: the module handle that launches take."""
        module = ctypes.c_void_p()
        check_launch(self.fly_load(checked_table(runtime), ordinal, ctypes.byref(module)), runtime)
        return checked_module(runtime, module.value)

    def load_owned(self, runtime: DeviceRuntime, ordinal: int) -> LoadedModule:
        """`load`, for as long as something refers to the result; the launcher stays loaded as long."""
        return LoadedModule.of(self.load(runtime, ordinal), runtime, self)

    def unload(self, runtime: DeviceRuntime, module: int) -> None:
        """Unload what `load` gave; no launch may follow."""
        unload_module(runtime, module)

    def address(self, name: str) -> int:
        """Address of one of the three functions, for callers that are native code."""
        return ctypes.cast(getattr(self, name), ctypes.c_void_p).value or 0


class LoadedModule(ctypes.c_void_p):
    """A module handle as launches take it, and the only owner of the module.

    With its last reference the module is unloaded, and `image`, what may hold the code in place, let go of. Under a
    runtime that does not unload by itself, both stay until the process ends.
    """

    _finalizer: weakref.finalize[..., LoadedModule] | None = None

    @classmethod
    def of(cls, handle: int, runtime: DeviceRuntime, image: object) -> Self:
        """The owner of the module `handle` of `runtime`."""
        module = cls(handle)
        if handle:
            module._finalizer = weakref.finalize(module, _release, runtime, handle, image)
            module._finalizer.atexit = False  # the process's end frees everything
        return module

    def unload(self, runtime: DeviceRuntime) -> None:
        """Unload the module of `runtime` now; no launch may follow."""
        if self._finalizer is not None and self._finalizer.detach():
            unload_module(runtime, self.value or 0)


def _release(runtime: DeviceRuntime, handle: int, image: object) -> None:
    if runtime.unloads_unused:
        unload_module(runtime, handle)
    else:
        _kept.append(image)


_kept: list[object] = []
"""Images of modules that stay loaded."""


def unload_module(runtime: DeviceRuntime, module: int) -> None:
    """Unload a module of `runtime`; no launch may follow."""
    table = FlyRuntimeApi.from_address(checked_table(runtime))
    check_launch(table.module_unload(table.self, module), runtime)


def kernel_handles(module: int, count: int) -> list[int]:
    """The handles of the `count` kernels of a loaded module, in the order of their names at its load."""
    handles = ctypes.cast(module, ctypes.POINTER(ctypes.c_void_p))
    return [handles[index] or 0 for index in range(count)]


def load_launcher(image: bytes) -> LoadedLauncher:
    """The launcher in the bytes of a shared object (fly_abi.h says what it exports); RuntimeFailure when it is none."""
    library = load_shared_object(image, "flydsl-launcher")
    try:
        load, launch, packed = library.fly_load, library.fly_launch, library.fly_launch_packed
    except AttributeError as error:
        raise RuntimeFailure(f"a shared object of {len(image)} bytes is not a launcher: {error}") from None
    load.argtypes = (_PTR, _I32, ctypes.POINTER(_PTR))
    launch.argtypes = (_PTR, ctypes.POINTER(_PTR))
    packed.argtypes = (_PTR, _PTR, _I32, _PTR, ctypes.c_char_p)
    for function in (load, launch, packed):
        function.restype = _I32
    return LoadedLauncher(load, launch, packed, library)


def load_shared_object(image: bytes, name: str) -> ctypes.CDLL:
    """dlopen the bytes of a shared object, without a file where the system can.

    It is closed with the last reference to the result and its functions.
    """
    try:
        descriptor = os.memfd_create(name)
    except (AttributeError, OSError):  # not Linux, or forbidden
        return _load_from_file(image, name)
    try:
        _write(descriptor, image)
        return _open(_unique_path(descriptor), len(image))
    finally:
        os.close(descriptor)


def _unique_path(descriptor: int) -> str:
    """A path to the descriptor that no dlopen has seen.

    The dynamic loader takes equal paths for equal files, and descriptors are reused. Each bit of a serial number
    becomes `/.` or `/`, which the kernel reads alike.
    """
    bits = f"{next(_serial):b}".replace("1", "/.").replace("0", "/")
    return f"/proc/self/fd{bits}/{descriptor}"


def _write(descriptor: int, image: bytes) -> None:
    view = memoryview(image)
    while view:
        view = view[os.write(descriptor, view) :]


def _open(path: str, size: int) -> ctypes.CDLL:
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise RuntimeFailure(f"a shared object of {size} bytes cannot be loaded: {error}") from None
    if sys.platform != "win32":
        close = weakref.finalize(library, _ctypes.dlclose, library._handle)
        close.atexit = False
    return library


def _load_from_file(image: bytes, name: str) -> ctypes.CDLL:
    import tempfile  # here: it costs 9 ms, and Linux does without

    descriptor, path = tempfile.mkstemp(prefix=f"{name}-", suffix=".so")
    try:
        _write(descriptor, image)
        os.close(descriptor)
        return _open(path, len(image))
    finally:
        with contextlib.suppress(OSError):  # Windows keeps files that are in use
            os.unlink(path)


def check_launch(code: int, runtime: DeviceRuntime) -> None:
    """Raise RuntimeFailure for a code that a launcher or a runtime's table returned."""
    if code == 0:
        return
    raise failure_of(code, launcher_error(code) or runtime.error_message(code)) from raised(code)


def failure_of(code: int, text: str) -> RuntimeFailure:
    """The error of a code that `text` explains, with the kernel that it names."""
    named = pattern(_KERNEL).search(text)
    return RuntimeFailure(text, code, named[1] if named else "")


class ObjectCode:
    """A device code object loaded on one device; `get_kernel` gives what `launch` takes.

    It stays loaded until it is closed, or neither it nor one of its kernels is referred to any more.
    """

    __slots__ = ("_kernels", "_module", "_runtime", "device")

    def __init__(self, device: Device, module: LoadedModule, kernels: dict[str, Kernel]) -> None:
        self.device, self._runtime = device, device.runtime
        self._module: LoadedModule | None = module
        self._kernels = kernels

    @classmethod
    def load(cls, device: Device, image: bytes, kernel_names: Sequence[str]) -> Self:
        """Load `image` on `device`; every name must be a kernel of it."""
        table = FlyRuntimeApi.from_address(checked_table(device.begin_work()))
        names = (ctypes.c_char_p * len(kernel_names))(*(name.encode() for name in kernel_names))
        handle = ctypes.c_void_p()
        code = table.module_load(
            table.self, device.ordinal, image, len(image), names, len(kernel_names), ctypes.byref(handle)
        )
        check_launch(code, device.runtime)
        module = LoadedModule.of(checked_module(device.runtime, handle.value), device.runtime, image)
        handles = kernel_handles(handle.value or 0, len(kernel_names))
        made = zip(kernel_names, handles, strict=True)
        return cls(device, module, {name: Kernel(name, handle, device, module) for name, handle in made})

    def get_kernel(self, name: str) -> Kernel:
        """The kernel of that name."""
        if name not in self._kernels:
            known = ", ".join(sorted(self._kernels)) or "none"
            raise RuntimeFailure(f"kernel {name!r} was not loaded from this code object; loaded: {known}")
        return self._kernels[name]

    def close(self) -> None:
        """Unload the code object; its kernels must not be launched any more. Closing twice is allowed."""
        module, self._module = self._module, None
        if module is not None:
            module.unload(self._runtime)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class Kernel(NamedTuple):
    """A kernel of a loaded code object: name, the runtime's handle, the device, and what keeps it loaded."""

    name: str
    handle: int
    device: Device
    module: LoadedModule
