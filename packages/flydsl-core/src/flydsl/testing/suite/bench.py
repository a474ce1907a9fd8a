"""The bench of one plugin under test: its backend, runtime, kernels and device arrays, alone in the process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from flydsl.base.dlpack import DeviceKind
from flydsl.base.errors import NoDeviceError
from flydsl.compiler.jit import JitFunction
from flydsl.compiler.stages.artifact import Artifact
from flydsl.plugins.active.border import status_of
from flydsl.plugins.active.instances import stack
from flydsl.plugins.active.missing_runtime import missing_runtime
from flydsl.plugins.active.selection import ActivePair, choice, get_backend
from flydsl.plugins.active.stack import claim_runtime
from flydsl.plugins.compile_backend import CompileBackend
from flydsl.plugins.device_runtime import DeviceRuntime
from flydsl.plugins.manifests import CompileBackendManifest, DeviceRuntimeManifest, TensorAdaptorManifest
from flydsl.plugins.tensor_adaptor import TensorAdaptor
from flydsl.runtime.device import Device
from flydsl.testing.capabilities import Capabilities, Capability
from flydsl.testing.sandbox import PluginSandbox
from flydsl.testing.suite.device_array import DeviceArray, adaptor_manifest
from flydsl.testing.suite.subject import Subject


class Bench:
    """What the tests of one class share. The runtime is made once and outlives all code that was loaded with it."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self._functions: dict[tuple[JitFunction, str], JitFunction] = {}
        self._arch = ""

    @contextmanager
    def active(self, arch: str = "") -> Iterator[None]:
        """The plugin world of one test: this plugin, those beside it and the core's adaptors; the pair is chosen.

        `device` has the architecture `arch`, when one is given.
        """
        self._arch = arch
        with PluginSandbox() as sandbox:
            tables = self.subject.tables
            sandbox.register(*tables.backends.values(), *tables.runtimes.values(), *tables.adaptors)
            sandbox.register(adaptor_manifest())
            if self.subject.backend is not None:
                choice.swap(self.pair, True)
                stack.swap(((self.pair.runtime, self.runtime),), None)
            yield

    @cached_property
    def capabilities(self) -> Capabilities:
        """What was declared, and what the runtime and the tensors say themselves."""
        found = self.subject.capabilities
        if self.subject.runtime is not None:
            status = status_of(self.subject.runtime, self.runtime)
            if not status.available:
                found = found.without(Capability.DEVICE, status.reason or "the runtime gives no reason")
        return found

    @property
    def backend_manifest(self) -> CompileBackendManifest:
        """The backend's manifest."""
        assert self.subject.backend is not None
        return self.subject.backend

    @property
    def runtime_manifest(self) -> DeviceRuntimeManifest:
        """The runtime's manifest."""
        assert self.subject.runtime is not None
        return self.subject.runtime

    @property
    def adaptor_manifest(self) -> TensorAdaptorManifest:
        """The adaptor's manifest."""
        assert self.subject.adaptor is not None
        return self.subject.adaptor

    @cached_property
    def pair(self) -> ActivePair:
        """Backend and runtime; the runtime that has no device when the plugin brings none."""
        backend = self.backend_manifest
        none = missing_runtime(backend.runtime_kind, "the plugin declares no runtime")
        return ActivePair(backend, self.subject.runtime or none)

    def backend(self, target: str = "") -> CompileBackend:
        """A fresh backend."""
        return get_backend(self.backend_manifest.name, arch=target)

    @cached_property
    def runtime(self) -> DeviceRuntime:
        """The runtime."""
        return (self.subject.runtime or self.pair.runtime).create()

    @cached_property
    def adaptor(self) -> TensorAdaptor:
        """The adaptor."""
        return self.adaptor_manifest.create()

    @property
    def device(self) -> Device:
        """The first with the architecture under test, features behind a colon apart; else the runtime's current one."""
        if not self._arch:
            return Device(runtime=self.runtime)
        devices = Device.all(runtime=self.runtime)
        for device in devices:
            if device.arch.partition(":")[0] == self._arch.partition(":")[0]:
                return device
        found = ", ".join(device.arch for device in devices)
        raise NoDeviceError(f"no device of runtime {self.runtime.name!r} is a {self._arch!r}, found: {found}")

    def function(self, function: JitFunction) -> JitFunction:
        """The same host function with nothing compiled yet: code of another bench is never launched here."""
        return self._functions.setdefault((function, self._arch), JitFunction(function.__wrapped__))

    def compile(self, function: JitFunction, *arguments: Any, target: str = "") -> Artifact:
        """Compile afresh, past every cache."""
        name = self.backend_manifest.name
        return self.function(function).trace(*arguments, backend=name, arch=target).lower().compile()

    def array(self, values: Any) -> DeviceArray:
        """A NumPy array, strides and gaps included, in memory of the device."""
        claim_runtime()
        kinds = self.runtime_manifest.device_kinds
        return DeviceArray.copy_of(values, self.device, min(kinds - {DeviceKind.CPU} or kinds))
