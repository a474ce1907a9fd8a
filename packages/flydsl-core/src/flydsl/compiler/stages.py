"""The stages of a compilation as types: Traced -> Lowered -> Artifact -> Loaded, each with what the next one needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from flydsl.cache.entry import Entry
from flydsl.compiler.hints import NO_HINTS, Hints
from flydsl.plugins.compile_backend import GPUTarget
from flydsl.toolchain.slots import Slot

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.dialects.func import FuncOp

    from flydsl.runtime.kernel import LoadedLauncher


@dataclass(frozen=True)
class Traced:
    """The Fly module of one @jit function for one list of argument specs."""

    name: str
    target: GPUTarget
    module: ModuleOp = field(repr=False)
    kernels: tuple[str, ...]
    written: tuple[int, ...]
    """Positions of the tensors, among the leaves of all arguments, that some kernel may write to."""
    hints: Hints = field(default_factory=lambda: NO_HINTS)
    """Compile hints: options of this compilation."""

    @cached_property
    def text(self) -> str:
        """The module as generic text, without locations: what the cache key digests."""
        from flydsl.ir.emit import emit_generic

        return emit_generic(self.module)

    def blocks(self) -> dict[str, tuple[int, ...]]:
        """The block size of each kernel that is only launched with one that is known."""
        found = {}
        for op in self.module.walk():
            size = op.attributes.get("gpu.known_block_size")
            if op.name == "gpu.func" and size is not None:
                name = op.get_attr_or_prop("sym_name")
                found[name.data] = tuple(int(n) for n in size.get_values())  # type: ignore[union-attr,attr-defined]
        return found

    def lower(self) -> Lowered:
        """Run the Fly passes and the backend's own lowering."""
        from flydsl.compiler.pipeline import lower

        return lower(self)


@dataclass(frozen=True)
class Lowered:
    """Kernels as generic MLIR text of upstream dialects, and the host function that launches them."""

    traced: Traced = field(repr=False)
    device_text: str = field(repr=False)
    host: FuncOp = field(repr=False)

    def llvm_ir(self) -> str:
        """LLVM IR of the kernels, before LLVM's optimisations."""
        from flydsl.compiler.pipeline import llvm_ir

        return llvm_ir(self)

    def compile(self) -> Artifact:
        """Make the device code object and the host launcher."""
        from flydsl.compiler.pipeline import compile

        return compile(self)


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
        from flydsl.compiler.pipeline import disassemble

        return disassemble(self)

    def load(self, ordinal: int | None = None) -> Loaded:
        """Load the code on a device of the active runtime (the current one by default)."""
        from flydsl.compiler.pipeline import load

        return load(self, ordinal)

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
    """An artifact on one device: the launcher's functions and the runtime's module handle."""

    artifact: Artifact
    launcher: LoadedLauncher
    module: int
    ordinal: int
