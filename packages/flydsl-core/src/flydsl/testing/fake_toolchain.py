"""A toolchain without LLVM: requests are recorded, objects are digests, launchers are Python functions."""

from __future__ import annotations

import ctypes
import re
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, Self, Unpack
from unittest import mock

from flydsl.base.errors import RuntimeFailure, ToolchainError
from flydsl.runtime.abi import FlyRuntimeApi
from flydsl.runtime.kernel import LoadedLauncher
from flydsl.toolchain.protocol import (
    HOST,
    CodegenPoint,
    CodegenTarget,
    DumpStage,
    FileType,
    GpuObject,
    MachinePass,
    RunOptions,
)

_MAGIC = b"\x7fELF fake object\n".ljust(64, b"\0")  # as long as the header that `data_object` copies from
_LAUNCHER = b"fake launcher\n"
_KERNEL_NAME = re.compile(r'@fly_name_\d+\("([^"]*?)\\00"\)')
_GPU_MODULE = re.compile(r'"gpu\.module"\(\)[^(]*sym_name = "([^"]*)"')


class ToolchainRequest(NamedTuple):
    """One call of a FakeToolchain: the method, the text or the objects it got, and its other arguments by name."""

    method: str
    input: Any
    options: dict[str, Any]


class FakeLaunch(NamedTuple):
    """One call of a launcher: the kernels of its code object, device, stream and the packed arguments."""

    kernels: tuple[str, ...]
    ordinal: int
    stream: int
    packed: bytes


class FakeToolchain:
    """Implements the `Toolchain` protocol; equal requests give equal results.

    `requests` lists the calls in order, `launches` those of the launchers it linked. The method named `failing` raises
    ToolchainError; a launch returns the next of `launch_codes`, then 0. `run_pipeline` returns its text unchanged.
    """

    name = "fake"

    def __init__(self, *, failing: str = "", launch_codes: Sequence[int] = ()) -> None:
        self.failing = failing
        self.requests: list[ToolchainRequest] = []
        self.launches: list[FakeLaunch] = []
        self._launch_codes = iter(launch_codes)

    @contextmanager
    def installed(self) -> Iterator[Self]:
        """Within the `with` block this is the toolchain of the process, and its launchers can be loaded."""
        with (
            mock.patch("flydsl.toolchain.select.create_toolchain", return_value=self),
            mock.patch("flydsl.compiler.stages.artifact.load_launcher", self.load_launcher),
        ):
            yield self

    def asked(self, method: str) -> list[ToolchainRequest]:
        """The requests of one method."""
        return [request for request in self.requests if request.method == method]

    def version(self) -> str:
        """1.0."""
        return "1.0"

    def fingerprint(self) -> str:
        """Always the same."""
        return "fake 1.0"

    def run_pipeline(self, text: str, pipeline: str, **options: Unpack[RunOptions]) -> str:
        """The text as it is."""
        self._record("run_pipeline", text, pipeline=pipeline, **options)
        return text

    def gpu_objects(self, text: str, pipeline: str) -> list[GpuObject]:
        """A digest for each `gpu.module` of the text."""
        self._record("gpu_objects", text, pipeline=pipeline)
        return [GpuObject(name, "#fake", _digest(text, pipeline, name)) for name in _GPU_MODULE.findall(text)]

    def emit_llvm_ir(self, text: str) -> str:
        """A comment with a digest."""
        self._record("emit_llvm_ir", text)
        return f"; {_digest(text).decode()}\n"

    def codegen(
        self, llvm_ir: bytes, target: CodegenTarget, *, filetype: FileType = "obj", optimize: bool = False
    ) -> bytes:
        """A digest of everything that is asked for."""
        self._record("codegen", llvm_ir, target=target, filetype=filetype, optimize=optimize)
        return _digest(llvm_ir.decode(), *target, filetype, optimize)

    def run_llvm_passes(
        self,
        llvm_ir: bytes,
        target: CodegenTarget,
        pipeline: str,
        *,
        plugins: Sequence[Path] = (),
        options: Sequence[str] = (),
    ) -> bytes:
        """A digest of everything that is asked for."""
        self._record("run_llvm_passes", llvm_ir, target=target, pipeline=pipeline, plugins=tuple(plugins))
        return _digest(llvm_ir.decode(), *target, pipeline, tuple(map(str, plugins)), *options)

    def codegen_with_passes(
        self,
        llvm_ir: bytes,
        target: CodegenTarget,
        passes: Sequence[MachinePass],
        *,
        plugins: Sequence[Path] = (),
        filetype: FileType = "obj",
        optimize: bool = False,
        dump: DumpStage | None = None,
        options: Sequence[str] = (),
    ) -> bytes:
        """A digest of everything that is asked for; `dump` gets the names of the passes."""
        self._record("codegen_with_passes", llvm_ir, target=target, passes=tuple(passes), optimize=optimize)
        if dump is not None:
            for request in passes:
                dump(request.name, "")
        return _digest(llvm_ir.decode(), *target, tuple(passes), tuple(map(str, plugins)), filetype, optimize, *options)

    def codegen_points(self, target: CodegenTarget) -> list[CodegenPoint]:
        """One pass, and the emitter."""
        self._record("codegen_points", target)
        return [
            CodegenPoint("fake-isel", 1, "Fake Instruction Selection", True, False),
            CodegenPoint("", 0, "Fake Assembly Printer", True, False, ("pre-emit2",)),
        ]

    def llvm_text(self, llvm_ir: bytes) -> str:
        """The bytes as text."""
        self._record("llvm_text", llvm_ir)
        return llvm_ir.decode()

    def emit_host_object(
        self, text: str, target: CodegenTarget = HOST, *, pipeline: str = "", filetype: FileType = "obj"
    ) -> bytes:
        """An object that holds the names of the kernels that the text loads, and a digest."""
        self._record("emit_host_object", text, target=target, pipeline=pipeline, filetype=filetype)
        names = "\n".join(map(_unescaped, _KERNEL_NAME.findall(text)))
        return _MAGIC + f"{_digest(text, *target, pipeline, filetype).decode()}\n{names}".encode()

    def link(self, objects: Sequence[bytes], *, shared: bool = True, args: Sequence[str] = ()) -> bytes:
        """A launcher, which only `load_launcher` of this toolchain can load."""
        self._record("link", list(objects), shared=shared, args=list(args))
        return _LAUNCHER + b"".join(struct.pack("<q", len(part)) + part for part in objects)

    def disassemble(self, code: bytes, target: CodegenTarget) -> str:
        """One comment line that names the target and the size."""
        self._record("disassemble", code, target=target)
        return f"; {len(code)} bytes for {target.triple} {target.chip} {target.features}\n"

    def load_launcher(self, image: bytes) -> LoadedLauncher:
        """The functions of a launcher that `link` made: loads go to the runtime's table, launches are recorded."""
        if not image.startswith(_LAUNCHER):
            raise RuntimeFailure(f"{len(image)} bytes are not a launcher of the fake toolchain")
        host, data = _linked(image)[:2]
        kernels = tuple(name for name in host.decode("utf-8", "replace").split("\n")[2:] if name)
        code = _data_of(data)

        def load(table: int, ordinal: int, module: Any) -> int:
            if not kernels:
                return 0
            api = FlyRuntimeApi.from_address(table)
            names = (ctypes.c_char_p * len(kernels))(*(name.encode() for name in kernels))
            return int(api.module_load(api.self, ordinal, code, len(code), names, len(kernels), module))

        def launch(*_: Any) -> int:
            raise NotImplementedError("a fake launcher is called with packed arguments")

        def launch_packed(table: Any, module: Any, ordinal: int, stream: int, packed: bytes) -> int:
            self.launches.append(FakeLaunch(kernels, ordinal, stream, packed))
            return next(self._launch_codes, 0)

        return LoadedLauncher(load, launch, launch_packed, ctypes.CDLL(None))

    def _record(self, method: str, source: Any, **options: Any) -> None:
        self.requests.append(ToolchainRequest(method, source, options))
        if method == self.failing:
            raise ToolchainError(f"{method} fails")


def _digest(*parts: object) -> bytes:
    return sha256(repr(parts).encode()).hexdigest().encode()


def _unescaped(name: str) -> str:
    """A name in an MLIR string, where `\\5F` stands for an underscore."""
    return re.sub(r"\\([0-9A-F]{2})", lambda code: chr(int(code[1], 16)), name).encode("latin-1").decode()


def _linked(image: bytes) -> list[bytes]:
    """The objects that a launcher was linked from."""
    parts, position = [], len(_LAUNCHER)
    while position < len(image):
        (size,) = struct.unpack_from("<q", image, position)
        parts.append(image[position + 8 : position + 8 + size])
        position += 8 + size
    return parts


def _data_of(image: bytes) -> bytes:
    """The bytes in a `data_object`: its first section is the data and, in the last 8 bytes, their number."""
    (table,) = struct.unpack_from("<Q", image, 40)
    offset, size = struct.unpack_from("<QQ", image, table + 64 + 24)
    (length,) = struct.unpack_from("<q", image, offset + size - 8)
    return image[offset : offset + length]
