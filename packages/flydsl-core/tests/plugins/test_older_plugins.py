"""Plugins made for plugin API 1: their classes and tables work, and what they do not know is an error."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from flydsl.base.errors import RuntimeFailure, UnsupportedTargetError
from flydsl.expr.values.emitter import TargetInfo
from flydsl.frontend.launch.launch_modes import launch_modes
from flydsl.plugins import CompileBackend, CompileBackendManifest, GPUTarget
from flydsl.plugins.tables import Tables
from flydsl.runtime.abi import ABI_VERSION, FlyRuntimeApi, LaunchFn, ModuleLoadFn, ModuleUnloadFn
from flydsl.runtime.device import Device
from flydsl.runtime.kernel import ObjectCode
from flydsl.runtime.launch import LaunchConfig, launch
from flydsl.testing.fake_runtime import FakeRuntime


class OlderBackend(CompileBackend):
    """A backend as it was written for API 1."""

    name = "older"

    def default_arch(self) -> str:
        return "old1"

    def warp_size(self, arch: str) -> int:
        return 32

    def supports_arch(self, arch: str) -> bool:
        return arch == "old1"

    def pipeline_fragments(self, *, arch: str, options: Any = None) -> list[str]:
        return []

    def gpu_module_targets(self, *, arch: str) -> list[str]:
        return []


class OlderConfig(ctypes.Structure):
    """`FlyLaunchConfig` of API 1."""

    _fields_ = (
        ("struct_size", ctypes.c_uint32),
        ("grid", ctypes.c_uint32 * 3),
        ("block", ctypes.c_uint32 * 3),
        ("cluster", ctypes.c_uint32 * 3),
        ("shared_bytes", ctypes.c_uint32),
        ("n_params", ctypes.c_uint32),
        ("param_sizes", ctypes.POINTER(ctypes.c_uint32)),
    )


class OlderTable(ctypes.Structure):
    """`FlyRuntimeApi` of API 1, and behind it other memory of the plugin."""

    _fields_ = (
        ("struct_size", ctypes.c_uint32),
        ("abi_version", ctypes.c_uint32),
        ("self", ctypes.c_void_p),
        ("module_load", ModuleLoadFn),
        ("module_unload", ModuleUnloadFn),
        ("launch", LaunchFn),
        ("others", ctypes.c_uint64 * 4),
    )


class OlderRuntime(FakeRuntime):
    """A runtime with a table of API 1, whose launch reads what it knew of a configuration."""

    def __init__(self) -> None:
        super().__init__()
        self.launched: list[tuple[int, ...]] = []
        table = self.table.api
        self.older = OlderTable(40, ABI_VERSION, table.self, table.module_load, table.module_unload)
        self.older.launch = LaunchFn(self._launch)
        self.older.others = (ctypes.c_uint64 * 4)(*[2**64 - 1] * 4)

    def _launch(self, this: int, kernel: int, config: Any, stream: int | None, parameters: Any) -> int:
        known = ctypes.cast(config, ctypes.POINTER(OlderConfig)).contents
        if known.struct_size < ctypes.sizeof(OlderConfig):
            return 1
        self.launched.append((*known.grid, *known.block, known.shared_bytes))
        return 0

    def api_table(self) -> int:
        return ctypes.addressof(self.older)


def test_the_structs_of_now_begin_as_they_did() -> None:
    for name, _ in OlderTable._fields_[:-1]:
        assert getattr(OlderTable, name).offset == getattr(FlyRuntimeApi, name).offset


def test_its_manifests_are_taken() -> None:
    manifest = CompileBackendManifest(name="older", factory=OlderBackend, runtime_kind="older", api_version=1)
    assert Tables().with_manifest(manifest).backends["older"] is manifest


def test_its_backend_makes_targets_without_launch_modes() -> None:
    target = OlderBackend().make_target("old1")
    assert target == GPUTarget("older", "old1", 32)
    assert (target.max_cluster, target.launch_modes) == (1, frozenset())
    traced_for = TargetInfo(target.backend, target.arch, target.warp_size, target.max_cluster, target.launch_modes)
    assert launch_modes(traced_for, "k", cooperative=False, use_pdl=False) == {}
    with pytest.raises(UnsupportedTargetError, match="'old1' of backend 'older' does not have .it has none."):
        launch_modes(traced_for, "k", cooperative=True)


def test_its_runtime_launches_and_refuses_what_it_does_not_know() -> None:
    runtime = OlderRuntime()
    kernel = ObjectCode.load(Device(runtime=runtime), b"code", ["k"]).get_kernel("k")
    launch(kernel.device.default_stream, LaunchConfig(2, 64, shmem_size=16), kernel)
    assert runtime.launched == [(2, 1, 1, 64, 1, 1, 16)]
    with pytest.raises(RuntimeFailure, match="cannot launch with cooperative=True or use_pdl=True"):
        launch(kernel.device.default_stream, LaunchConfig(2, 64, cooperative=True), kernel)
    assert len(runtime.launched) == 1
