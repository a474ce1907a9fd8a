"""The hooks that a plugin implements: called directly where they are plain, else by pluggy (3 ms to import)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any

from flydsl.plugins.manifests import CompileBackendManifest, DeviceRuntimeManifest, Manifest, TensorAdaptorManifest

HOOKS: Mapping[str, type[Manifest]] = MappingProxyType(
    {
        "flydsl_compile_backends": CompileBackendManifest,
        "flydsl_device_runtimes": DeviceRuntimeManifest,
        "flydsl_tensor_adaptors": TensorAdaptorManifest,
    }
)
"""What each hook returns a sequence of."""
_OPTIONS = (*("wrapper", "hookwrapper", "optionalhook", "tryfirst", "trylast"), "specname")
_PLAIN = {option: None if option == "specname" else False for option in _OPTIONS}
"""The options of an implementation as pluggy's marker notes them, where none was given."""


def hookimpl(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """pluggy's marker of implementations, for this project; without options it needs no pluggy."""
    if function is None or options:
        from flydsl.plugins.hookspecs import hookimpl as marker

        return marker(function, **options)
    function.flydsl_impl = dict(_PLAIN)  # type: ignore[attr-defined]
    return function


def manifests_of(plugin: Any) -> Iterator[Manifest]:
    """What the hooks of a module or another object declare; TypeError for one without, and what its hooks raise."""
    found = False
    for hook, implementation in _plain(plugin) or _by_pluggy(plugin):
        if hook not in HOOKS:
            raise TypeError(f"unknown hook {hook!r}, expected one of {', '.join(HOOKS)}")
        found = True
        yield from _checked(hook, implementation())
    if not found:
        raise TypeError(f"module {plugin.__name__!r} implements no hook, expected one of {', '.join(HOOKS)}")


def _plain(plugin: Any) -> list[tuple[str, Callable[[], Any]]]:
    """The implementations in the order of their names; none where one of them says more than that it is one."""
    if type(plugin) is not ModuleType:
        return []
    marked = [(name, value) for name, value in sorted(vars(plugin).items()) if hasattr(value, "flydsl_impl")]
    return marked if all(_is_plain(value) for _, value in marked) else []


def _is_plain(value: Any) -> bool:
    if type(value) is not FunctionType or vars(value)["flydsl_impl"] != _PLAIN:
        return False
    code = value.__code__
    return not (code.co_argcount or code.co_kwonlyargcount or code.co_flags & 0x0C)  # 0x0C: *args and **kwargs


def _by_pluggy(plugin: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The hooks as pluggy calls them; each calls the implementations of this plugin alone, and its wrappers."""
    import pluggy

    from flydsl.plugins import hookspecs

    manager = pluggy.PluginManager("flydsl")
    manager.add_hookspecs(hookspecs)
    manager.register(plugin)
    for caller in manager.get_hookcallers(plugin) or []:
        yield caller.name, _first(caller)


def _first(caller: Any) -> Callable[[], Any]:
    def call() -> Any:
        results = caller()  # pluggy leaves out None, which is told as any other wrong result
        return results[0] if results else None

    return call


def _checked(hook: str, manifests: Any) -> Iterator[Manifest]:
    expected = HOOKS[hook]
    if not isinstance(manifests, (list, tuple)) or not all(isinstance(m, expected) for m in manifests):
        raise TypeError(f"hook {hook!r} returned {manifests!r}, expected a list of {expected.__name__}")
    yield from manifests
