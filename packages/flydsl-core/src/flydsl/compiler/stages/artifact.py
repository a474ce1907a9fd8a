"""Machine code of one specialisation (`Artifact`), and the same loaded on a device (`Loaded`)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from flydsl.base.errors import RuntimeFailure
from flydsl.cache.entry import Entry
from flydsl.plugins.active.fingerprint import description
from flydsl.plugins.active.selection import active_pair, get_backend, resolve_pair
from flydsl.plugins.active.stack import claim_runtime
from flydsl.plugins.compile_backend import GPUTarget
from flydsl.runtime.kernel import load_launcher
from flydsl.toolchain.slots import Slot

if TYPE_CHECKING:
    from flydsl.plugins.code_report import KernelReport
    from flydsl.plugins.device_runtime import DeviceRuntime
    from flydsl.runtime.kernel import LoadedLauncher, LoadedModule


@dataclass(frozen=True, slots=True)
class Artifact:
    """Machine code of one specialisation: a device code object and the host launcher that embeds it."""

    name: str
    key: Mapping[str, str] = field(repr=False)
    target: GPUTarget
    runtime_kind: str
    kernels: tuple[str, ...]
    blocks: Mapping[str, tuple[int, ...]]
    slots: tuple[Slot, ...] = field(repr=False)
    written: tuple[int, ...]
    device: bytes = field(repr=False)
    launcher: bytes = field(repr=False)

    def disassemble(self) -> str:
        """The device instructions as text."""
        from flydsl.toolchain.select import default_toolchain

        backend = get_backend(self.target.backend)
        return backend.disassemble(self.device, arch=self.target.arch, toolchain=default_toolchain())

    def report(self) -> tuple[KernelReport, ...]:
        """Counts of each kernel's machine code; CompileError where the backend offers none."""
        from flydsl.toolchain.select import default_toolchain

        backend, arch = get_backend(self.target.backend), self.target.arch
        return backend.code_report(self.device, kernels=self.kernels, arch=arch, toolchain=default_toolchain())

    def load(self, ordinal: int | None = None) -> Loaded:
        """Load the code on a device of the active runtime (the current one by default)."""
        pair = active_pair()
        pair.require(backend=self.target.backend, runtime_kind=self.runtime_kind, what=f"artifact {self.name!r}")
        runtime = claim_runtime(pair)
        device = runtime.current_ordinal() if ordinal is None else ordinal
        self._check_blocks(runtime, device)
        launcher = load_launcher(self.launcher)
        return Loaded(self, launcher, launcher.load_owned(runtime, device), device)

    def _check_blocks(self, runtime: DeviceRuntime, ordinal: int) -> None:
        """Refuse block sizes beyond the device before any kernel runs; those of run time are checked at each launch."""
        if not self.blocks:
            return
        limit = runtime.device_info(ordinal).max_threads_per_block
        for name, block in self.blocks.items():
            if math.prod(block) > limit:
                text = f"kernel {name!r}: a block of {block} threads is above the limit of {limit} threads"
                raise RuntimeFailure(text, kernel=name)

    def to_entry(self) -> Entry:
        """The artifact as a cache entry."""
        header: dict[str, Any] = {
            "name": self.name,
            "backend": self.target.backend,
            "arch": self.target.arch,
            "warp_size": self.target.warp_size,
            "runtime_kind": self.runtime_kind,
            "kernels": list(self.kernels),
            "blocks": {name: list(size) for name, size in self.blocks.items()},
            "written": list(self.written),
            "slots": [slot.to_json() for slot in self.slots],
            "pair": dict(description(resolve_pair(self.target.backend))),  # for people who ask why it is there
        }
        return Entry(self.key, header, {"device": self.device, "launcher": self.launcher})

    @classmethod
    def from_entry(cls, entry: Entry) -> Artifact:
        """What `to_entry` gave."""
        header: Any = entry.header
        return cls(
            name=header["name"],
            key=entry.key,
            target=GPUTarget(header["backend"], header["arch"], header["warp_size"]),
            runtime_kind=header["runtime_kind"],
            kernels=tuple(header["kernels"]),
            blocks={name: tuple(size) for name, size in header["blocks"].items()},
            slots=tuple(Slot.from_json(slot) for slot in header["slots"]),
            written=tuple(header["written"]),
            device=entry.parts["device"],
            launcher=entry.parts["launcher"],
        )


class Loaded(NamedTuple):
    """An artifact on one device: the launcher's functions and the runtime's module, loaded as long as this is."""

    artifact: Artifact
    launcher: LoadedLauncher
    module: LoadedModule
    ordinal: int
