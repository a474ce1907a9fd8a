"""A compile backend and a device runtime that need no device or compiler: what is asked of them is recorded."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from hashlib import sha256
from typing import Any

from flydsl.backend.pipeline import FLY_PIPELINE
from flydsl.base.dlpack import DeviceKind
from flydsl.plugins.compile_backend import CompileBackend, Options
from flydsl.plugins.manifests import CompileBackendManifest, DeviceRuntimeManifest
from flydsl.testing.fake_runtime import FakeRuntime
from flydsl.toolchain.protocol import Toolchain

__all__ = ["FakeBackend", "FakeRuntime", "fake_backend", "fake_runtime"]


class FakeBackend(CompileBackend):
    """Runs the Fly passes; its code object is a digest of the module they give."""

    def __init__(self, name: str = "fake", arches: Sequence[str] = ("fake1", "fake2")) -> None:
        super().__init__()
        self.name, self._arches = name, tuple(arches)

    def default_arch(self) -> str:
        """The first one."""
        return self._arches[0]

    def warp_size(self, arch: str) -> int:
        """32."""
        return 32

    def supports_arch(self, arch: str) -> bool:
        """Whether the fake was made for it."""
        return arch in self._arches

    def pipeline_fragments(self, *, arch: str, options: Options | None = None) -> list[str]:
        """The passes of the core."""
        return list(FLY_PIPELINE)

    def gpu_module_targets(self, *, arch: str) -> list[str]:
        """None."""
        return []

    def emit_code_object(
        self, module_text: str, *, arch: str, toolchain: Toolchain, options: Options | None = None
    ) -> bytes:
        """Backend, architecture and sha256 of the text."""
        return f"{self.name} {arch} {sha256(module_text.encode()).hexdigest()}".encode()


def fake_backend(name: str = "fake", *, runtime_kind: str = "fake", **fields: Any) -> CompileBackendManifest:
    """The manifest of a FakeBackend; `fields` replace those of the manifest."""
    made = {"factory": partial(FakeBackend, name), "distribution": f"flydsl-{name}", "version": "1.0", **fields}
    return CompileBackendManifest(name=name, runtime_kind=runtime_kind, **made)


def fake_runtime(name: str = "fake", *, kind: str = "fake", devices: int = 1, **fields: Any) -> DeviceRuntimeManifest:
    """The manifest of a FakeRuntime; `fields` replace those of the manifest."""
    made = {
        "factory": partial(FakeRuntime, name, kind, devices=devices),
        "distribution": f"flydsl-{name}",
        "version": "1.0",
        "device_kinds": frozenset({DeviceKind.CPU}),
        **fields,
    }
    return DeviceRuntimeManifest(name=name, kind=kind, **made)
