"""The process's one `DeviceRuntime` instance; a second stack is refused once device work began."""

from __future__ import annotations

from contextlib import suppress

from flydsl.base.errors import FlyDSLError, NoDeviceError, RuntimeStackError
from flydsl.plugins.active.instances import runtime_status, stack
from flydsl.plugins.active.selection import ActivePair, active_pair, choice, resolve_pair
from flydsl.plugins.device_runtime import DeviceRuntime
from flydsl.plugins.manifests import DeviceRuntimeManifest
from flydsl.plugins.registry import registry


def device_runtime(pair: ActivePair | None = None) -> DeviceRuntime:
    """The runtime of `pair` (None: the active one) for questions such as `status()`: begins no device work."""
    return stack.instance((pair or active_pair()).runtime)


def claim_runtime(pair: ActivePair | None = None) -> DeviceRuntime:
    """The runtime of `pair` for device work: from now on no other can be used.

    RuntimeStackError if another is already in use; NoDeviceError when this one has no device.
    """
    manifest = (pair or active_pair()).runtime
    claimed = stack.claimed
    if claimed is not None and claimed[0] is manifest:
        return claimed[1]
    runtime = device_runtime(pair)
    status = runtime_status(manifest)
    if not status.available:
        elsewhere = _elsewhere(manifest)
        stack.ask_again()
        raise NoDeviceError(f"runtime {manifest.name!r} has no device: {status.reason}{elsewhere}")
    with stack.lock:
        _refuse_second(manifest)
        stack.claimed = manifest, runtime
    return runtime


def _elsewhere(manifest: DeviceRuntimeManifest) -> str:
    """Which simulators of this kind, and which backends with a device, are installed, for the end of a message."""
    tables = registry.tables
    simulators = [r.name for r in tables.runtimes.values() if r.simulator and r.kind == manifest.kind and r != manifest]
    backends = []
    for name in tables.backends:
        with suppress(FlyDSLError):
            if runtime_status(resolve_pair(name).runtime).available:
                backends.append(name)
    choices = (
        ("simulated by", simulators, "FLYDSL_RUNTIME_KIND"),
        ("with a device here", backends, "FLYDSL_COMPILE_BACKEND"),
    )
    return "".join(
        f"; {what}: {', '.join(map(repr, sorted(names)))} (set {setting})" for what, names, setting in choices if names
    )


def use_pair(backend: str | None = None, runtime: str | None = None) -> ActivePair:
    """Choose the pair explicitly; RuntimeStackError when that changes the runtime after device work began."""
    pair = resolve_pair(backend, runtime)
    with choice.lock:
        _refuse_second(pair.runtime)
        if choice.pair != pair:  # the same pair stays the same object: call sites compare by identity
            choice.pair = pair
        choice.is_explicit = True
        return choice.pair or pair


def has_device_work() -> bool:
    """Whether any device work began in this process."""
    return stack.claimed is not None


def _refuse_second(manifest: DeviceRuntimeManifest) -> None:
    """RuntimeStackError when device work began on another runtime than `manifest`'s."""
    claimed = stack.claimed
    if claimed is not None and claimed[0] is not manifest:
        raise RuntimeStackError(
            f"device work of this process runs on runtime {claimed[0].name!r} (kind {claimed[0].kind!r}), "
            f"so {manifest.name!r} (kind {manifest.kind!r}) cannot be used: one runtime stack a process"
        )


_peer_access: set[tuple[str, int, int]] = set()
"""The name of a runtime, the device of the kernels, and another one whose memory `Device.enable_access` opened."""


def enable_peer_access(runtime: str, ordinal: int, peer: int) -> None:
    """Keep that kernels on device `ordinal` reach the memory of device `peer`, from now on."""
    _peer_access.add((runtime, ordinal, peer))


def has_peer_access(runtime: str, ordinal: int, peer: int) -> bool:
    """Whether they do."""
    return (runtime, ordinal, peer) in _peer_access
