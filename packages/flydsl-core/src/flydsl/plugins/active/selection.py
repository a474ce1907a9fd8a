"""Selection of the one `ActivePair` of compile backend and device runtime.

Precedence: explicit argument > environment > the only installed backend > one whose runtime has a device, accelerators
first > the default backend. With FLYDSL_COMPILE_ARCH only backends that know it count; COMPILE_ONLY asks for no device.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from flydsl.base import settings
from flydsl.base.errors import NoBackendError, PairMismatchError, UnknownBackendError, UnknownRuntimeError
from flydsl.base.interception import EMITTER
from flydsl.base.process.fork_locks import new_lock
from flydsl.base.references import resolve_reference
from flydsl.base.wording import did_you_mean
from flydsl.plugins.active.instances import runtime_status
from flydsl.plugins.active.missing_runtime import missing_runtime
from flydsl.plugins.compile_backend import CompileBackend
from flydsl.plugins.manifests import CompileBackendManifest, DeviceRuntimeManifest
from flydsl.plugins.registry import registry
from flydsl.plugins.tables import Tables


@dataclass(frozen=True, slots=True)
class ActivePair:
    """A compile backend and the device runtime that runs its code. Two kinds raise PairMismatchError."""

    backend: CompileBackendManifest
    runtime: DeviceRuntimeManifest
    reason: str = field(default="explicit", compare=False)

    def __post_init__(self) -> None:
        if self.backend.runtime_kind != self.runtime.kind:
            raise PairMismatchError(
                f"backend {self.backend.name!r} needs a runtime of kind {self.backend.runtime_kind!r}, "
                f"runtime {self.runtime.name!r} is of kind {self.runtime.kind!r}: "
                "change FLYDSL_COMPILE_BACKEND or FLYDSL_RUNTIME_KIND"
            )

    def __str__(self) -> str:
        return f"{self.backend.name} + {self.runtime.name} (kind {self.runtime.kind})"

    def __repr__(self) -> str:
        return f"<ActivePair {self}>"

    def require(self, *, backend: str, runtime_kind: str, what: str) -> None:
        """Raise PairMismatchError unless `what` (an artifact) was made for this pair's backend id and runtime kind."""
        if (backend, runtime_kind) != (self.backend.name, self.runtime.kind):
            raise PairMismatchError(
                f"{what} was made by backend {backend!r} for runtime kind {runtime_kind!r}, the active pair is {self}"
            )


class _Choice:
    """The pair of this process, once chosen."""

    def __init__(self) -> None:
        self.lock = new_lock()
        self.pair: ActivePair | None = None
        self.is_explicit = False

    def swap(self, pair: ActivePair | None, is_explicit: bool = False) -> tuple[ActivePair | None, bool]:
        """Replace the choice and return the old one; for tests."""
        with self.lock:
            old = self.pair, self.is_explicit
            self.pair, self.is_explicit = pair, is_explicit
            return old


choice = _Choice()


def active_pair() -> ActivePair:
    """The pair of this process, chosen at the first call; later changes of the environment do not touch it."""
    pair = choice.pair
    if pair is not None:
        return pair
    resolved = resolve_pair()  # without the lock: runtimes are made and asked for their devices
    with choice.lock:
        if choice.pair is None:
            choice.pair = resolved
            _warn_of_set_aside(registry.tables, resolved)
        return choice.pair


def _warn_of_set_aside(tables: Tables, pair: ActivePair) -> None:
    """Once: a plugin that is set aside may have been the default."""
    if not tables.quarantined or pair.reason.startswith(("backend: explicit", "backend: FLYDSL_")):
        return
    import warnings

    warnings.warn(
        f"{pair} is the default, and plugins that may have been are set aside{set_aside(tables)}",
        RuntimeWarning,
        stacklevel=2,
    )


def resolve_pair(backend: str | None = None, runtime: str | None = None) -> ActivePair:
    """The pair for explicit ids (None: not said), without choosing it for the process."""
    tables = registry.tables
    manifest, why = _choose_backend(tables, backend, runtime)
    device, why_device = _choose_runtime(tables, manifest, runtime)
    return ActivePair(manifest, device, f"backend: {why}; runtime: {why_device}")


def compile_backend_name() -> str:
    """The id of the backend that compiles: that of the running trace, else of this process's pair, else
    FLYDSL_COMPILE_BACKEND, else the default."""
    return backend_name_for("")


def backend_name_for(arch: str) -> str:
    """`compile_backend_name`, where the default is one that knows `arch`, unless that is empty."""
    emitter = EMITTER.get()
    if emitter is not None:
        return str(emitter.target.backend)
    pair = choice.pair
    if pair is not None and (choice.is_explicit or not arch):
        return pair.backend.name
    return _choose_backend(registry.tables, None, arch=arch)[0].name


def get_backend(name: str | None = None, *, arch: str = "") -> CompileBackend:
    """A fresh instance of the backend `name` (None: the one that compiles), bound to `arch` if there is one."""
    tables = registry.tables
    manifest = _backend(tables, name, "") if name else tables.backends[backend_name_for(arch)]
    backend = manifest.create()
    return backend.for_arch(arch) if arch else backend


def python_passes(backend: str) -> Mapping[str, str]:
    """Pass name to 'module:Class' for the passes that run in Python for `backend`: the core's and the plugin's."""
    from flydsl.passes.registry import PASSES

    return {**PASSES, **_backend(registry.tables, backend, "").passes}


def expr_namespace(name: str) -> Any:
    """What a plugin offers as `fx.<name>`; the active backend comes first. AttributeError when no plugin has it."""
    if name.startswith("_"):  # Python's own questions, such as __path__, are no reason to load plugins
        raise AttributeError(f"no plugin offers {name!r}: target words have no leading underscore")
    backends = registry.tables.backends
    pair = choice.pair
    ordered = ([pair.backend] if pair else []) + [backends[backend] for backend in sorted(backends)]
    for manifest in ordered:
        if name in manifest.expr_namespaces:
            return resolve_reference(manifest.expr_namespaces[name])
    known = sorted({other for manifest in ordered for other in manifest.expr_namespaces})
    raise AttributeError(
        f"no installed plugin offers {name!r}; target words: {', '.join(known) or 'none'}{set_aside(registry.tables)}"
    )


def warp_functions(backend: str) -> Any:
    """What `backend` declares in place of functions of `fx.coop.warp`; None when it declares nothing."""
    manifest = registry.tables.backends.get(backend)
    return resolve_reference(manifest.warp_functions) if manifest is not None and manifest.warp_functions else None


def plugin_word(module: str, name: str) -> Any:
    """What a plugin adds to `module` of the core as `name`; AttributeError when no plugin does."""
    if not name.startswith("_"):  # Python's own questions, such as __path__, are no reason to load plugins
        for manifest in registry.tables.manifests:
            reference = manifest.words.get(f"{module}.{name}")
            if reference is not None:
                return resolve_reference(reference)
    missing = f"module {module!r} has no attribute {name!r}, and no installed plugin adds it"
    raise AttributeError(missing + (set_aside(registry.tables) if not name.startswith("_") else ""), name=name)


def backend_class(name: str) -> Any:
    """The class called `name` that a plugin names as its backend's factory; AttributeError when none does."""
    for manifest in registry.tables.backends.values():
        if isinstance(manifest.factory, str) and manifest.factory.partition(":")[2] == name:
            return resolve_reference(manifest.factory)
    raise AttributeError(f"no installed plugin has a backend class {name!r}")


def forget(*, runtime_kind: str | None = None, backend: str | None = None) -> None:
    """Drop the choice if it involves this kind or backend, whose manifest was replaced."""
    with choice.lock:
        pair = choice.pair
        if pair and (pair.runtime.kind == runtime_kind or pair.backend.name == backend):
            choice.pair, choice.is_explicit = None, False


def _choose_backend(
    tables: Tables, explicit: str | None, runtime: str | None = None, *, arch: str = ""
) -> tuple[CompileBackendManifest, str]:
    if explicit:
        return _backend(tables, explicit, ""), "explicit"
    if settings.compile.is_set("backend"):
        return _backend(tables, settings.compile.backend, " (FLYDSL_COMPILE_BACKEND)"), "FLYDSL_COMPILE_BACKEND"
    if len(tables.backends) == 1:
        return next(iter(tables.backends.values())), "the only one installed"
    if tables.backends:
        return _choose_default(tables, runtime, arch or settings.compile.arch, asks_devices=not arch)
    problem = "no compile backend is installed: install a plugin such as flydsl-cpu"
    raise NoBackendError(f"{problem}{set_aside(tables)}")


def _choose_default(
    tables: Tables, runtime: str | None, arch: str, *, asks_devices: bool
) -> tuple[CompileBackendManifest, str]:
    """One of several backends when nothing names it: what can run here comes first, and accelerators before others."""
    able = {name: backend for name, backend in tables.backends.items() if arch and _knows(backend, arch)}
    backends = able or dict(tables.backends)
    usable: dict[str, CompileBackendManifest] = {}
    if asks_devices and not settings.compile.compile_only:
        usable = {name: backend for name, backend in backends.items() if _is_usable(tables, backend, runtime)}
    best = {name: backend for name, backend in usable.items() if backend.accelerator} or usable
    if default := best.get(settings.DEFAULT_BACKEND):
        return default, "the default, and it has a device"
    if len(best) == 1:
        return next(iter(best.values())), f"the only {'accelerator' if len(usable) > 1 else 'one'} with a device"
    if not best and len(backends) == 1:
        return next(iter(backends.values())), f"the only one that knows {arch!r}"
    if not best and (default := backends.get(settings.DEFAULT_BACKEND)):
        return default, "the default, installed"
    having = ", with a device" if best else ""
    raise NoBackendError(
        f"several compile backends are installed{having}: {_names(best or backends)}; "
        f"name one in FLYDSL_COMPILE_BACKEND{set_aside(tables)}"
    )


def _knows(manifest: CompileBackendManifest, arch: str) -> bool:
    try:
        return manifest.create().supports_arch(arch)
    except KeyboardInterrupt:
        raise
    except BaseException:  # who chooses that backend is told; it must not spoil the others
        return False


def _is_usable(tables: Tables, manifest: CompileBackendManifest, runtime: str | None) -> bool:
    """Whether the runtime that the backend would get has a device, or is asked for and tells why it has none."""
    try:
        pair = ActivePair(manifest, _choose_runtime(tables, manifest, runtime)[0])
        if pair.runtime.name not in tables.runtimes:  # the stand-in for one that is not installed
            return False
        return bool(pair.runtime.requested_by) or runtime_status(pair.runtime).available
    except KeyboardInterrupt:
        raise
    except BaseException:  # as above: of another kind than was asked for, or broken
        return False


def _backend(tables: Tables, name: str, where: str) -> CompileBackendManifest:
    manifest = tables.backends.get(name.lower())
    if manifest is None:
        raise UnknownBackendError(
            f"unknown compile backend {name!r}{where}, registered: {_names(tables.backends)}"
            f"{did_you_mean(name, tables.backends)}{set_aside(tables)}"
        )
    return manifest


def _choose_runtime(
    tables: Tables, backend: CompileBackendManifest, explicit: str | None
) -> tuple[DeviceRuntimeManifest, str]:
    kind = backend.runtime_kind
    if explicit:
        return _runtime(tables, backend, explicit.lower(), ""), "explicit"
    if kind in tables.explicit_runtimes:
        return tables.runtimes[tables.explicit_runtimes[kind]], "registered by the program"
    if settings.runtime.is_set("kind"):
        name = settings.runtime.kind
        return _runtime(tables, backend, name, " (FLYDSL_RUNTIME_KIND)"), "FLYDSL_RUNTIME_KIND"
    return _default_runtime(tables, backend)


def _runtime(tables: Tables, backend: CompileBackendManifest, wanted: str, where: str) -> DeviceRuntimeManifest:
    """The runtime of that name, else the default runtime of that kind."""
    if wanted in tables.runtimes:
        return tables.runtimes[wanted]
    if wanted == backend.runtime_kind:
        return _default_runtime(tables, backend)[0]
    of_kind = [runtime for runtime in tables.runtimes.values() if runtime.kind == wanted]
    if of_kind:
        return of_kind[0]  # of another kind than the backend's: ActivePair refuses it
    kinds = sorted({runtime.kind for runtime in tables.runtimes.values()})
    raise UnknownRuntimeError(
        f"unknown device runtime {wanted!r}{where}, registered: {_names(tables.runtimes)} "
        f"of kinds: {', '.join(kinds) or 'none'}{did_you_mean(wanted, tables.runtimes)}{set_aside(tables)}"
    )


def _default_runtime(tables: Tables, backend: CompileBackendManifest) -> tuple[DeviceRuntimeManifest, str]:
    of_kind = {name: r for name, r in tables.runtimes.items() if r.kind == backend.runtime_kind}
    for runtime in of_kind.values():
        if runtime.requested_by:
            return runtime, runtime.requested_by
    real = {name: r for name, r in of_kind.items() if not r.simulator}
    preferred = backend.default_runtime
    if preferred in real:
        return real[preferred], "the backend's default"
    if len(real) == 1:
        return next(iter(real.values())), f"the only one of kind {backend.runtime_kind!r}"
    if real:
        raise NoBackendError(
            f"runtimes {_names(real)} are all of kind {backend.runtime_kind!r}: name one in FLYDSL_RUNTIME_KIND"
        )
    reason = f"no device runtime of kind {backend.runtime_kind!r} is installed{set_aside(tables)}"
    if of_kind:
        reason += f"; {_names(of_kind)} simulates one: choose it with FLYDSL_RUNTIME_KIND"
    return missing_runtime(backend.runtime_kind, reason), "none installed"


def _names(table: Mapping[str, object]) -> str:
    return ", ".join(map(repr, sorted(table))) or "none"


def set_aside(tables: Tables) -> str:
    """Why plugins that are installed do not count, for the end of a message."""
    lines = [f"unavailable: {broken}" for broken in tables.quarantined]
    lines += [f"disabled by FLYDSL_DISABLE_PLUGINS: {entry.name!r}" for entry in tables.disabled]
    return "".join(f"\n  {line}" for line in lines)
