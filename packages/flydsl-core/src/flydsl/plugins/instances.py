"""The instances of device runtimes in this process, one of each, and the one that has done device work."""

from __future__ import annotations

from flydsl.base.fork_locks import new_rlock
from flydsl.plugins.device_runtime import DeviceRuntime
from flydsl.plugins.manifests import DeviceRuntimeManifest

Instance = tuple[DeviceRuntimeManifest, DeviceRuntime]


class Stack:
    """Runtime instances by manifest, and the one that has done device work, which is read without the lock."""

    def __init__(self) -> None:
        self.lock = new_rlock()  # a runtime may ask for another while it is created
        self.instances: tuple[Instance, ...] = ()
        self.claimed: Instance | None = None

    def instance(self, manifest: DeviceRuntimeManifest) -> DeviceRuntime:
        """The runtime that `manifest` declares, made at the first call."""
        with self.lock:
            for known, runtime in self.instances:
                if known is manifest:
                    return runtime
            created = manifest.create()
            self.instances = (*self.instances, (manifest, created))
            return created

    def swap(
        self, instances: tuple[Instance, ...], claimed: Instance | None
    ) -> tuple[tuple[Instance, ...], Instance | None]:
        """Replace the instances and return the old ones; for tests."""
        with self.lock:
            old = self.instances, self.claimed
            self.instances, self.claimed = instances, claimed
            return old


stack = Stack()
