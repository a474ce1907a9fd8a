"""Plugins with one flaw each, run by test_conformance_finds_flaws.py: every class below must fail its own checks."""

from __future__ import annotations

import atexit
import ctypes
import itertools
import os
import sys
from importlib import import_module
from math import prod
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from types import ModuleType
from typing import Any

import numpy as np

from flydsl.base.errors import NoDeviceError
from flydsl.plugins import CompileBackendManifest, DeviceRuntimeManifest, DType, TensorAdaptorManifest, hookimpl
from flydsl.plugins.device_runtime import DeviceStatus
from flydsl.runtime.abi import FlyRuntimeApi, ModuleUnloadFn
from flydsl.testing.suite import Tensors, conformance
from flydsl.testing.suite.launch import LaunchSuite
from flydsl_acme.adaptor import AcmeAdaptor, AcmeArray
from flydsl_acme.backend import MAGIC, AcmeBackend
from flydsl_acme.runtime import machine
from flydsl_acme.runtime.device_runtime import AcmeRuntime

PASSES = {"acme-tag": "flydsl_acme.passes:AcmeTag"}
ARRAYS = Tensors(lambda shape, dtype: AcmeArray([0.0] * shape[0]), shapes=((1,), (7,)))


def plugin(name: str, *, backend: Any = None, runtime: Any = None, adaptor: Any = None, claims: Any = None) -> str:
    """A module whose hooks declare these; its name."""
    module, common = ModuleType(name), {"name": "acme", "distribution": "flydsl-broken"}
    if backend is not None:
        manifest = CompileBackendManifest(factory=backend, runtime_kind="acme", passes=PASSES, **common)
        module.flydsl_compile_backends = _hook("flydsl_compile_backends", manifest)  # type: ignore[attr-defined]
    if runtime is not None:
        device = DeviceRuntimeManifest(factory=runtime, kind="acme", device_kinds=frozenset({1}), **common)
        module.flydsl_device_runtimes = _hook("flydsl_device_runtimes", device)  # type: ignore[attr-defined]
    if adaptor is not None:
        reads = TensorAdaptorManifest(factory=adaptor, claims=claims or (lambda cls: cls is AcmeArray), **common)
        module.flydsl_tensor_adaptors = _hook("flydsl_tensor_adaptors", reads)  # type: ignore[attr-defined]
    sys.modules[name] = module
    return name


def _hook(name: str, manifest: Any) -> Any:
    def hook() -> list[Any]:
        return [manifest]

    hook.__name__ = name
    return hookimpl(hook)


# Backends


class Random(AcmeBackend):
    def emit_code_object(self, module_text: str, **options: Any) -> bytes:
        return super().emit_code_object(module_text, **options) + os.urandom(8).hex().encode()


class OneCodeForAll(AcmeBackend):
    def pipeline_fragments(self, **options: Any) -> list[str]:
        return super().pipeline_fragments(arch="acme1")


class KnowsEverything(AcmeBackend):
    def supports_arch(self, arch: str) -> bool:
        return True

    def warp_size(self, arch: str) -> int:
        return 16


class OutOfOrder(AcmeBackend):
    def pipeline_fragments(self, **options: Any) -> list[str]:
        first, second, *rest = super().pipeline_fragments(**options)
        return [second, first, *rest] if options.get("options") is None else [first, second, *rest]


class TakesRubbish(AcmeBackend):
    def emit_code_object(self, module_text: str, **options: Any) -> bytes:
        return MAGIC + module_text.encode()

    def disassemble(self, code: bytes, **options: Any) -> str:
        return code.decode()


class Misnamed(AcmeBackend):
    name = "acne"


class NamesNothing(AcmeBackend):
    def cache_key_native_lib_patterns(self) -> list[str]:
        return None  # type: ignore[return-value]


class LosesLibrary(AcmeBackend):
    def device_libraries(self) -> list[Path]:
        return [Path("/no/such/acme.bc")]


class NoThreads(AcmeBackend):
    def warp_size(self, arch: str) -> int:
        return 0


class WordyWarps(AcmeBackend):
    def warp_size(self, arch: str) -> int:
        return "32"  # type: ignore[return-value]


class MakesText(AcmeBackend):
    def emit_code_object(self, module_text: str, **options: Any) -> bytes:
        return super().emit_code_object(module_text, **options).decode()  # type: ignore[return-value]


class MakesNothing(AcmeBackend):
    def emit_code_object(self, module_text: str, **options: Any) -> bytes:
        return None  # type: ignore[return-value]


def borrowed() -> Any:
    """A class whose base is of another distribution, which nothing requires."""
    folder = Path(mkdtemp()) / "site-packages"
    atexit.register(rmtree, folder.parent)
    (folder / "spare_parts-2.0.dist-info").mkdir(parents=True)
    (folder / "spare_parts-2.0.dist-info" / "METADATA").write_text("Name: spare-parts\nVersion: 2.0\n")
    (folder / "spare_parts.py").write_text("class Part:\n    pass\n")
    sys.path.append(str(folder))
    return type("Borrowed", (AcmeBackend, import_module("spare_parts").Part), {})


_ONLY_ONE = AcmeBackend()


def the_only_one() -> AcmeBackend:
    return _ONLY_ONE


def backend_of(factory: Any, *targets: str) -> Any:
    return conformance(plugin(f"broken_{factory.__name__}", backend=factory), targets=targets or ("acme1",))


TestRandom, TestOneCodeForAll = backend_of(Random), backend_of(OneCodeForAll, "acme1", "acme2")
TestKnowsEverything, TestOutOfOrder = backend_of(KnowsEverything), backend_of(OutOfOrder)
TestNamesNothing, TestLosesLibrary, TestBorrowed = map(backend_of, (NamesNothing, LosesLibrary, borrowed()))
TestNoThreads, TestWordyWarps = map(backend_of, (NoThreads, WordyWarps))
TestMakesText, TestMakesNothing = map(backend_of, (MakesText, MakesNothing))
TestTakesRubbish, TestMisnamed, TestOnlyOne = backend_of(TakesRubbish), backend_of(Misnamed), backend_of(the_only_one)

# Runtimes


class ForgetsFrees(AcmeRuntime):
    def free(self, pointer: int) -> None:
        self._memory.pop(pointer, None)


class DropsLastByte(AcmeRuntime):
    def copy(self, destination: int, source: int, nbytes: int, *where: Any) -> None:
        super().copy(destination, source, max(nbytes - 1, 0), *where)


class SetsTooMuch(AcmeRuntime):
    def memset(self, destination: int, value: int, nbytes: int, stream: int) -> None:
        super().memset(destination, value, nbytes + 1, stream)


class CountsSeconds(AcmeRuntime):
    def elapsed_ms(self, start: int, end: int) -> float:
        return super().elapsed_ms(start, end) / 1e3


class OneStream(AcmeRuntime):
    def create_stream(self, ordinal: int) -> int:
        self._check(ordinal)
        return 1


class AnyDevice(AcmeRuntime):
    def _check(self, ordinal: int) -> None:
        pass


class MovingTable(AcmeRuntime):
    def api_table(self) -> int:
        self.tables = getattr(self, "tables", [])
        self.tables.append(FlyRuntimeApi.from_buffer_copy(self._api))
        return ctypes.addressof(self.tables[-1])


class Wordless(AcmeRuntime):
    def status(self) -> DeviceStatus:
        return DeviceStatus(False)

    def device_count(self) -> int:
        return 0

    def _check(self, ordinal: int) -> None:
        raise NoDeviceError("there is none")


class StatusFails(AcmeRuntime):
    def status(self) -> DeviceStatus:
        raise OSError("no licence")


class StatusIsNothing(AcmeRuntime):
    def status(self) -> DeviceStatus:
        return None  # type: ignore[return-value]


class NoUnload(AcmeRuntime):
    def __init__(self) -> None:
        super().__init__()
        self._api.module_unload = ModuleUnloadFn()


class ShiftsWork(AcmeRuntime):
    """Copies on a created stream are done before everything that was enqueued earlier."""

    def memset(self, destination: int, value: int, nbytes: int, stream: int) -> None:
        late = getattr(self, "late", {}).pop((stream, destination), None)
        self.late = {**getattr(self, "late", {}), (stream, destination): (value, nbytes)} if stream else {}
        if late is not None or not stream:
            super().memset(destination, *(late or (value, nbytes)), stream)


def runtime_of(factory: Any) -> Any:
    return conformance(plugin(f"broken_{factory.__name__}", runtime=factory))


TestForgetsFrees, TestDropsLastByte, TestSetsTooMuch = map(runtime_of, (ForgetsFrees, DropsLastByte, SetsTooMuch))
TestCountsSeconds, TestOneStream, TestAnyDevice = map(runtime_of, (CountsSeconds, OneStream, AnyDevice))
TestStatusFails, TestStatusIsNothing, TestNoUnload = map(runtime_of, (StatusFails, StatusIsNothing, NoUnload))
TestMovingTable, TestWordless, TestShiftsWork = map(runtime_of, (MovingTable, Wordless, ShiftsWork))

# Launches


class Launches(AcmeRuntime):
    """`run` stands for the machine's."""

    refused = machine.BAD_LAUNCH

    def _launch(self, this: Any, kernel: int, config: Any, stream: Any, parameters: Any) -> int:
        shape = config.contents
        if prod(shape.block) > machine.MAX_THREADS:
            return self.refused
        function = self._kernels[kernel]
        values = [ctypes.string_at(parameters[i], shape.param_sizes[i]) for i in range(shape.n_params)]
        try:
            self.run(function, tuple(shape.grid), tuple(shape.block), values)
        except Exception:
            return machine.BAD_LAUNCH
        return 0

    def run(self, function: Any, grid: Any, block: Any, values: Any) -> None:
        """Do it wrong."""


class LosesBlocks(Launches):
    def run(self, function: Any, grid: Any, block: Any, values: Any) -> None:
        machine.run(function, (max(grid[0] - 1, 1), *grid[1:]), block, 0, values)


def places(extent: Any) -> Any:
    """Every index below the three of `extent`."""
    return itertools.product(*map(range, extent))


class NeverWaits(Launches):
    def run(self, function: Any, grid: Any, block: Any, values: Any) -> None:
        from flydsl.ir.interpret import run

        arguments = machine.values(function.function, values)
        ids = {"gpu.block_dim": block, "gpu.grid_dim": grid}
        for place, thread in itertools.product(places(grid), places(block)):
            run(function.function, arguments, {**ids, "gpu.block_id": place, "gpu.thread_id": thread})


class NeverRefuses(Launches):
    refused = 0

    def run(self, function: Any, grid: Any, block: Any, values: Any) -> None:
        machine.run(function, grid, block, 0, values)


def launches_of(factory: Any, **declared: str) -> Any:
    """The tests that launch, alone."""
    name = plugin(f"broken_{factory.__name__}_{len(declared)}", backend=AcmeBackend, runtime=factory)
    return type("Launches", (LaunchSuite,), {"bench": conformance(name, without=declared).bench})


TestLosesBlocks, TestNeverWaits, TestNeverRefuses = map(launches_of, (LosesBlocks, NeverWaits, NeverRefuses))
TestOnlyLogs = launches_of(Launches)
TestOnlyLogsAndSaysSo = launches_of(Launches, execution="launches are logged, not run")

# Adaptors


class InBytes(AcmeAdaptor):
    def describe(self, obj: Any) -> Any:
        return super().describe(obj)._replace(strides=(4,))


class OneSignature(AcmeAdaptor):
    def signature(self, obj: Any) -> Any:
        return "acme"


class OffByOne(AcmeAdaptor):
    def pointer(self, obj: Any) -> int:
        return super().pointer(obj) + 4

    def describe(self, obj: Any) -> Any:
        return super().describe(obj)._replace(pointer=AcmeAdaptor.pointer(self, obj))


class Unhashable(AcmeAdaptor):
    def signature(self, obj: Any) -> Any:
        return [len(obj.values)]


class NumpyShape(AcmeAdaptor):
    def describe(self, obj: Any) -> Any:
        return super().describe(obj)._replace(shape=(np.int64(len(obj.values)),))


class WrongType(AcmeAdaptor):
    def describe(self, obj: Any) -> Any:
        return super().describe(obj)._replace(dtype=DType(0, 32))


def adaptor_of(factory: Any, claims: Any = None) -> Any:
    return conformance(
        plugin(f"broken_{factory.__name__}_{bool(claims)}", adaptor=factory, claims=claims),
        tensors=ARRAYS,
        without={"read_only": "it has none"},
    )


TestInBytes, TestOneSignature, TestOffByOne, TestWrongType = map(
    adaptor_of, (InBytes, OneSignature, OffByOne, WrongType)
)
TestUnhashable, TestNumpyShape = map(adaptor_of, (Unhashable, NumpyShape))
TestClaimsAll = adaptor_of(AcmeAdaptor, lambda cls: True)
