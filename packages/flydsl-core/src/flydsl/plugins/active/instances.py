"""The instances of device runtimes in this process, one of each, and the one that has done device work."""

from __future__ import annotations

from flydsl.base.process.fork_locks import new_rlock
from flydsl.plugins.active.border import status_of
from flydsl.plugins.device_runtime import DeviceRuntime, DeviceStatus
from flydsl.plugins.manifests import DeviceRuntimeManifest

Instance = tuple[DeviceRuntimeManifest, DeviceRuntime]


class Stack:
    """Runtime instances by manifest, and the one that has done device work, which is read without the lock."""

    def __init__(self) -> None:
        self.lock = new_rlock()  # a runtime may ask for another while it is created
        self.instances: tuple[Instance, ...] = ()
        self.claimed: Instance | None = None
        self._known: dict[int, tuple[DeviceRuntime, DeviceStatus]] = {}

    def instance(self, manifest: DeviceRuntimeManifest) -> DeviceRuntime:
        """The runtime that `manifest` declares, made at the first call."""
        with self.lock:
            for known, runtime in self.instances:
                if known is manifest:
                    return runtime
            created = manifest.create()
            self.instances = (*self.instances, (manifest, created))
            return created

    def status(self, manifest: DeviceRuntimeManifest) -> DeviceStatus:
        """Whether the runtime has a device: asked once, and again after an error has told that there is none."""
        runtime = self.instance(manifest)
        known = self._known.get(id(runtime))
        if known is not None and known[0] is runtime:
            return known[1]
        status = status_of(manifest, runtime)
        self._known[id(runtime)] = (runtime, status)
        return status

    def ask_again(self) -> None:
        """Forget which runtimes had no device: one may be plugged in, or a setting be changed."""
        self._known = {name: known for name, known in self._known.items() if known[1].available}

    def swap(
        self, instances: tuple[Instance, ...], claimed: Instance | None
    ) -> tuple[tuple[Instance, ...], Instance | None]:
        """Replace the instances and return the old ones; for tests."""
        with self.lock:
            old = self.instances, self.claimed
            self.instances, self.claimed = instances, claimed
            return old


stack = Stack()


def runtime_status(manifest: DeviceRuntimeManifest) -> DeviceStatus:
    """Whether the process's runtime of this manifest has a device."""
    return stack.status(manifest)
