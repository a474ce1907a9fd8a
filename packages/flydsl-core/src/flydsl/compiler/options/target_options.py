"""What is compiled for and how: the target, the options that backends read, and the tools that make code."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from flydsl.base import settings
from flydsl.base.errors import ToolchainMissingError, UnsupportedTargetError
from flydsl.base.files.file_digest import digest_files
from flydsl.base.references import resolve_reference
from flydsl.cache.key import Configuration
from flydsl.compiler.options.hints import NO_HINTS, Hints, hint_keys
from flydsl.compiler.options.llvm_pass_settings import NAMES, has_passes, key_values, passes_of
from flydsl.plugins.active.border import checked_libraries, checked_target
from flydsl.plugins.active.fingerprint import fingerprint
from flydsl.plugins.active.selection import backend_name_for, get_backend, resolve_pair
from flydsl.plugins.compile_backend import CompileBackend, GPUTarget
from flydsl.plugins.registry import registry
from flydsl.toolchain.select import default_toolchain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flydsl.base.setting import Group, Setting
    from flydsl.plugins.device_runtime import DeviceInfo
    from flydsl.toolchain.llvm_passes import DumpCode


def target_of(backend: str | None = None, arch: str = "", device: DeviceInfo | None = None) -> GPUTarget:
    """What to compile for: explicit names, else FLYDSL_COMPILE_BACKEND and FLYDSL_COMPILE_ARCH, else the defaults.

    The default architecture is that of `device`, where the code is to run, when one is given.
    """
    chosen: CompileBackend = get_backend(backend or backend_name_for(arch))
    wanted = arch or settings.compile.arch or (chosen.device_arch(device.arch) if device else chosen.default_arch())
    try:
        return checked_target(chosen.name, chosen.make_target(wanted))
    except UnsupportedTargetError as error:
        where = settings.compile.variable("arch") if not arch and settings.compile.arch else ""
        if where:
            error = UnsupportedTargetError(f"{error} ({where})")
        others = [name for name in registry.tables.backends if get_backend(name).supports_arch(wanted)]
        if not others or chosen.name in others:
            raise error from None
        advice = f"backend {others[0]!r} does: name it with backend= or FLYDSL_COMPILE_BACKEND"
        raise UnsupportedTargetError(f"{error}; {advice}") from None


def tensor_alignment(target: GPUTarget) -> int:
    """In bytes, what the backend of `target` compiles for where tensors begin at multiples of it."""
    manifest = registry.tables.backends.get(target.backend)
    return 1 if manifest is None else manifest.tensor_alignment


def options(hints: Hints = NO_HINTS, dump: DumpCode | None = None) -> dict[str, object]:
    """The options that backends may read, hints first; LLVM passes, if any, as one option that dumps to `dump`."""
    given: dict[str, object] = {name: value for name, value in hints.items() if name not in NAMES}
    if has_passes(hints):
        given["llvm_passes"] = passes_of(hints, dump)
    return {"opt_level": settings.compile.opt_level, "debug_info": settings.debug.enable_debug_info, **given}


def has_lines(hints: Hints = NO_HINTS) -> bool:
    """Whether the code says which line each of its instructions comes from."""
    return bool(hints.get("debug_info", settings.debug.enable_debug_info))


def configuration(target: GPUTarget, hints: Hints, made_by: Mapping[str, str] | None = None) -> Configuration:
    """What decides the code of a function for `target`, as keys hold it; `made_by` is what `tools` has just said."""
    pair = resolve_pair(target.backend)
    return Configuration(
        backend=target.backend,
        runtime_kind=pair.backend.runtime_kind,
        target=str(target),
        pair=fingerprint(pair, arch=target.arch),
        options=key_options(hints, target.backend),
        tools=tools(target.backend) if made_by is None else made_by,
    )


def key_options(hints: Hints, backend: str) -> dict[str, str]:
    """Settings and hints that decide the code, as cache keys hold them: those of the core, of backend and runtime."""
    others = {name: value for name, value in hints.items() if name not in NAMES}
    pair = resolve_pair(backend)
    own = {k: v for manifest in (pair.backend, pair.runtime) for k, v in _own_settings(manifest.settings).items()}
    return {**key_values(hints), **own, **hint_keys(others)}


def _own_settings(reference: str) -> dict[str, str]:
    """What the settings of a plugin say that change the code."""
    keyed = _keyed_settings(reference) if reference else ()
    return {setting.variables[0]: repr(setting.read(group.environ)) for group, setting in keyed}


@cache
def _keyed_settings(reference: str) -> tuple[tuple[Group, Setting[Any]], ...]:
    group: Group = resolve_reference(reference)
    return tuple((group, setting) for setting in group.settings().values() if setting.in_key)


def tools(backend: str) -> dict[str, str]:
    """Fingerprints of what makes code besides the plugins, as it is now: the toolchain, and the backend's libraries.

    Where FLYDSL_RUNTIME_RUN_ONLY is set and no toolchain is installed, those of the tools that filled the cache.
    """
    toolchain = default_toolchain()
    try:
        fingerprints = {toolchain.name: toolchain.fingerprint()}
    except ToolchainMissingError:
        if not settings.runtime.run_only:
            raise
        from flydsl.cache.recorded_tools import recorded_tools

        return recorded_tools(backend)
    if libraries := checked_libraries(backend, get_backend(backend).device_libraries()):
        memo = settings.runtime.digest_memo
        fingerprints["device_libraries"] = digest_files(libraries, base=libraries[0].parent, memo=memo)
    return fingerprints
