"""Checks of what comes over the plugin boundary: values of a wrong kind, each told with plugin and distribution."""

from __future__ import annotations

import os
from pathlib import Path
from time import perf_counter
from typing import Any

from flydsl.base.errors import PluginValueError, shown, text_of
from flydsl.plugins.compile_backend import GPUTarget
from flydsl.plugins.device_runtime import DeviceRuntime, DeviceStatus
from flydsl.plugins.manifests import DeviceRuntimeManifest, Manifest
from flydsl.plugins.registry import registry
from flydsl.plugins.tables import LONG_S
from flydsl.plugins.tensor_adaptor import DeviceRef, DType, TensorAdaptor, TensorDesc


def described(adaptor: TensorAdaptor, tensor: Any) -> TensorDesc:
    """What `adaptor` says of a tensor; PluginValueError unless it is a description that the core can trust."""
    desc = adaptor.describe(tensor)
    problem = _problem(desc)
    if problem:
        raise _wrong(_adaptor_name(adaptor), f"describe() gave a description in which {problem}")
    return desc


def check_signature(adaptor: TensorAdaptor, tensor: Any) -> None:
    """PluginValueError unless the adaptor's cheap answers are a hashable signature and an address."""
    signature = adaptor.signature(tensor)
    try:
        hash(signature)
    except Exception as error:
        found = f"signature() gave {shown(signature, repr)}, which is not hashable ({text_of(error)})"
        raise _wrong(_adaptor_name(adaptor), found) from None
    pointer = adaptor.pointer(tensor)
    if not _is_address(pointer):
        raise _wrong(_adaptor_name(adaptor), f"pointer() gave {pointer!r}, expected an int from 0 to 2**64 - 1")


def status_of(manifest: DeviceRuntimeManifest, runtime: DeviceRuntime) -> DeviceStatus:
    """What a runtime says of its device; one that fails, or says something else, has none, and the reason names it.

    One that takes long is named in the log.
    """
    began = perf_counter()
    try:
        status = runtime.status()
        if not isinstance(status, DeviceStatus):
            raise PluginValueError(f"it gave {shown(status, repr)}, expected a DeviceStatus")
        return status if status.available else DeviceStatus(False, str(status.reason))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return DeviceStatus(False, f"status() of {_name('runtime', manifest)} failed, {text_of(error)}")
    finally:
        seconds = perf_counter() - began
        if seconds > LONG_S:
            from flydsl.base.process.log import get_logger

            text = "status() of %s took %.1f s: each start that asks for its device waits so long"
            get_logger("flydsl.plugins").warning(text, _name("runtime", manifest), seconds)


def checked_code(backend: str, code: Any) -> bytes:
    """The code object that a backend made; PluginValueError unless it is bytes, and some."""
    if isinstance(code, bytes) and code:
        return code
    found = "nothing" if code in (None, b"") else shown(code, repr)
    raise _wrong(_backend_name(backend), f"emit_code_object() gave {found}, expected bytes")


def checked_target(backend: str, target: Any) -> GPUTarget:
    """A target of a backend; PluginValueError for a wave of no threads, or what is no number of them."""
    where = _backend_name(backend)
    if not isinstance(target, GPUTarget) or target.backend != backend:
        raise _wrong(where, f"make_target() gave {target!r}, expected a GPUTarget of backend {backend!r}")
    for name, value in (("warp_size", target.warp_size), ("max_cluster", target.max_cluster)):
        if type(value) is not int or value <= 0:
            raise _wrong(where, f"{name}({target.arch!r}) gave {value!r}, expected an int above 0")
    return target


def checked_table(runtime: DeviceRuntime) -> int:
    """The address of a runtime's table of functions; PluginValueError when it is none, or a function is missing."""
    address = runtime.api_table()
    if address in _tables:
        return address
    if not _is_address(address) or not address:
        found = f"api_table() gave {address!r}, expected the address of its FlyRuntimeApi"
        raise _wrong(_runtime_name(runtime), found)
    missing = missing_functions(address)
    if missing:
        raise _wrong(_runtime_name(runtime), f"in the table of api_table() {', '.join(missing)} is a null pointer")
    _tables.add(address)
    return address


_tables: set[int] = set()
"""Addresses of tables that were looked at."""


def missing_functions(address: int) -> list[str]:
    """The functions of a table that every runtime has, and this one has not."""
    from flydsl.runtime.abi import FlyRuntimeApi  # not where nothing is launched

    table = FlyRuntimeApi.from_address(address)
    return [name for name in ("module_load", "module_unload", "launch") if not getattr(table, name)]


def checked_patterns(backend: str, patterns: Any) -> list[str]:
    """The native files that a backend names; PluginValueError unless they are texts."""
    if isinstance(patterns, list | tuple) and all(isinstance(pattern, str) and pattern for pattern in patterns):
        return list(patterns)
    found = f"cache_key_native_lib_patterns() gave {shown(patterns, repr)}, expected a list of patterns of paths"
    raise _wrong(_backend_name(backend), found)


def checked_libraries(backend: str, libraries: Any) -> list[Path]:
    """The device libraries that a backend names; PluginValueError unless they are paths of files that are there."""
    where = _backend_name(backend)
    if not isinstance(libraries, list | tuple) or not all(isinstance(path, str | os.PathLike) for path in libraries):
        raise _wrong(where, f"device_libraries() gave {shown(libraries, repr)}, expected a list of paths of files")
    paths = [Path(path) for path in libraries]
    absent = next((path for path in paths if not path.is_file()), None)
    if absent is not None:
        raise _wrong(where, f"device_libraries() names {str(absent)!r}, which is no file; reinstall what has it")
    return paths


def checked_module(runtime: DeviceRuntime, module: int | None) -> int:
    """The module that a runtime loaded; PluginValueError when it said that it did, and stored none."""
    if module:
        return module
    raise _wrong(_runtime_name(runtime), "module_load of its table returned 0, which is success, and stored no module")


def _problem(desc: Any) -> str:
    """What is wrong with a description, in words; nothing when all is of the right kind."""
    if not isinstance(desc, TensorDesc):
        return f"nothing is told: it is {shown(desc, repr)}, expected a TensorDesc"
    for name, low in (("shape", 0), ("strides", None)):
        values = getattr(desc, name)
        if type(values) is not tuple or not all(type(item) is int for item in values):
            kinds = sorted({type(item).__name__ for item in values}) if isinstance(values, tuple) else []
            found = f", found {', '.join(kinds)}" if kinds else ""
            return f"{name} is {shown(values, repr)}, expected a tuple of int{found}"
        if low is not None and any(item < low for item in values):
            return f"{name} is {values!r}, which has a negative extent"
    if len(desc.shape) != len(desc.strides):
        return f"shape {desc.shape!r} and strides {desc.strides!r} have different ranks"
    if not _is_address(desc.pointer):
        return f"pointer is {desc.pointer!r}, expected an int from 0 to 2**64 - 1"
    for name, kind in (("dtype", DType), ("device", DeviceRef)):
        value = getattr(desc, name)
        if not isinstance(value, kind) or not all(isinstance(item, int) for item in value):
            return f"{name} is {shown(value, repr)}, expected a {kind.__name__} of int"
    return ""


def _is_address(value: object) -> bool:
    return type(value) is int and 0 <= value < 1 << 64


def _wrong(where: str, what: str) -> PluginValueError:
    return PluginValueError(f"{where}: {what}: upgrade the plugin, or mend it (docs/reference/plugin_api.md)")


def _adaptor_name(adaptor: TensorAdaptor) -> str:
    name = getattr(adaptor, "name", type(adaptor).__name__)
    return _name("tensor adaptor", next((m for m in registry.tables.adaptors if m.name == name), None), name)


def _backend_name(name: str) -> str:
    return _name("compile backend", registry.tables.backends.get(name), name)


def _runtime_name(runtime: DeviceRuntime) -> str:
    return _name("device runtime", registry.tables.runtimes.get(runtime.name), runtime.name)


def _name(noun: str, manifest: Manifest | None, name: str = "") -> str:
    owner = (manifest.owner if manifest is not None else "") or "this program"
    return f"{noun} {(manifest.name if manifest is not None else name)!r} of {owner}"
