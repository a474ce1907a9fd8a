"""HIP's functions on simulated devices, through hip-python: a call that fails raises its error."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from flydsl_hipsim.bench import HipsimBench
from flydsl_hipsim.simulator import hip_functions

SOURCE = Path(__file__).with_name("kernels.cl")
_HOST_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class HipError(Exception):
    """A call failed: `code` is the number, the text is HIP's with the explanation."""

    def __init__(self, function: str, code: int, text: str) -> None:
        super().__init__(f"{function}: {text}")
        self.code = code


class Hip:
    """Attributes are functions of hip-python without their error codes; `native` has the same functions in ctypes."""

    def __init__(self, module: Any, native: ctypes.CDLL) -> None:
        self.module, self.native = module, native

    def __getattr__(self, name: str) -> Any:
        function = getattr(self.module, name)

        def call(*arguments: Any) -> Any:
            code, *results = function(*arguments)
            self.check(name, int(code))
            return results[0] if len(results) == 1 else tuple(results)

        return call

    def check(self, function: str, code: int) -> None:
        """Raise unless the code says success."""
        if code:
            raise HipError(function, code, self.native.hipGetErrorString(code).decode())

    def malloc(self, size: int) -> int:
        """Device memory, by its address."""
        return int(self.hipMalloc(size))

    def read(self, address: int, size: int) -> bytes:
        """Bytes of device memory."""
        data = bytearray(size)
        self.hipMemcpy(data, address, size, self.module.hipMemcpyKind.hipMemcpyDeviceToHost)
        return bytes(data)

    def write(self, address: int, data: bytes) -> None:
        """Set bytes of device memory."""
        self.hipMemcpy(address, data, len(data), self.module.hipMemcpyKind.hipMemcpyHostToDevice)


@pytest.fixture
def hip(hipsim: HipsimBench) -> Hip:
    from rocm.bindings import hip as module

    return Hip(module, hip_functions())


@pytest.fixture
def streams(hip: Hip) -> Iterator[list[int]]:
    """Two streams that do not wait for stream 0."""
    made = [hip.hipStreamCreateWithFlags(1) for _ in range(2)]
    yield [int(stream) for stream in made]
    for stream in made:
        hip.hipStreamDestroy(stream)


class Callbacks:
    """Enqueues functions of Python in streams and keeps them alive."""

    def __init__(self, hip: Hip) -> None:
        self._hip = hip
        self._kept: list[Any] = []

    def launch(self, stream: int, function: Callable[[], object]) -> None:
        """Call the function when the stream is there."""
        made = _HOST_FUNCTION(lambda _: function() and None)
        self._kept.append(made)
        self._hip.check("hipLaunchHostFunc", self._hip.native.hipLaunchHostFunc(ctypes.c_void_p(stream), made, None))


@pytest.fixture
def callbacks(hip: Hip) -> Callbacks:
    return Callbacks(hip)


@pytest.fixture
def error() -> type[HipError]:
    return HipError


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], bytes]:
    """kernels.cl as a code object for a chip."""
    made: dict[str, bytes] = {}

    def compile_for(arch: str) -> bytes:
        if arch not in made:
            output = tmp_path_factory.mktemp("kernels") / f"{arch}.co"
            flags = [
                "-target",
                "amdgcn-amd-amdhsa",
                f"-mcpu={arch}",
                "-O2",
                "-nogpulib",
                "-x",
                "cl",
                "-cl-std=CL2.0",
                "-w",
            ]
            flags += ["-mcode-object-version=6"] if arch.endswith("-generic") else []
            subprocess.run(["clang-22", *flags, str(SOURCE), "-o", str(output)], check=True)
            made[arch] = output.read_bytes()
        return made[arch]

    return compile_for


class Loaded:
    """A module, whose kernels are launched with ctypes values as parameters."""

    def __init__(self, hip: Any, image: bytes) -> None:
        self.hip, self.image, self.handle = hip, image, ctypes.c_void_p()
        hip.check("hipModuleLoadData", hip.native.hipModuleLoadData(ctypes.byref(self.handle), image))

    def function(self, name: str) -> ctypes.c_void_p:
        found = ctypes.c_void_p()
        code = self.hip.native.hipModuleGetFunction(ctypes.byref(found), self.handle, name.encode())
        self.hip.check("hipModuleGetFunction", code)
        return found

    def launch(
        self, name: str, grid: int, block: int, *values: Any, shared: int = 0, stream: int = 0, extra: Any = None
    ) -> None:
        pointers = (ctypes.c_void_p * (len(values) + 1))(*(ctypes.addressof(value) for value in values))
        params = None if extra is not None else pointers
        shape = [ctypes.c_uint32(n) for n in (grid, 1, 1, block, 1, 1, shared)]
        code = self.hip.native.hipModuleLaunchKernel(
            self.function(name), *shape, ctypes.c_void_p(stream), params, extra
        )
        self.hip.check("hipModuleLaunchKernel", code)


@pytest.fixture
def load(hip: Any) -> Callable[[bytes], Loaded]:
    """Makes a module of a code object."""
    return partial(Loaded, hip)


@pytest.fixture
def module(hip: Any, load: Callable[[bytes], Loaded], build: Callable[[str], bytes]) -> Iterator[Loaded]:
    loaded = load(build("gfx942"))
    yield loaded
    hip.native.hipModuleUnload(loaded.handle)
