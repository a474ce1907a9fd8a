"""Fly text in; lowered text, PTX and code objects out: as fixtures. And assemblers: none, a recorder, the real one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.device_modules import kernel_module, text_after

from flydsl.backend.pipeline import FLY_PIPELINE
from flydsl.toolchain.select import default_toolchain
from flydsl_cuda import plugin
from flydsl_cuda.backend import CudaBackend
from flydsl_cuda.dialect import FLY_NVVM
from flydsl_cuda.pipeline import conversion

_LAST = ("nvvm-shared-arena", "nvvm-kernel-entries")
_after = text_after(FLY_NVVM, plugin.flydsl_compile_backends()[0].passes)
_RECORDER = """#!{python}
import pathlib, sys
folder = pathlib.Path(__file__).parent
with open(folder / "calls", "a") as log:
    print(*sys.argv[1:], file=log)
if "--version" in sys.argv:
    print("Cuda compilation tools, release {release}, V{release}.0")
elif "{fails}":
    sys.exit("{fails}")
else:
    (folder / "ptx").write_bytes(pathlib.Path("kernels.ptx").read_bytes())
    pathlib.Path("kernels.cubin").write_bytes(b"\\x7fELF of " + sys.argv[1].encode())
    print("ptxas info    : Compiling entry function 'k' for 'sm_90a'", file=sys.stderr)
    print("ptxas info    : Function properties for k", file=sys.stderr)
    print("    8 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads", file=sys.stderr)
    print("ptxas info    : Used 33 registers, used 1 barriers, 2048 bytes smem, 364 bytes cmem[0]", file=sys.stderr)
"""


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_RUNTIME_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def recorder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """`recorder(release="13.0", fails="")`: the folder of a `ptxas` that records its calls and is used."""

    def made(release: str = "13.0", fails: str = "") -> Path:
        program = tmp_path / "bin" / "ptxas"
        program.parent.mkdir(exist_ok=True)
        program.write_text(_RECORDER.format(python=sys.executable, release=release, fails=fails))
        program.chmod(0o755)
        monkeypatch.setenv("FLYDSL_CUDA_PTXAS", str(program))
        return program.parent

    return made


def _lower(text: str, options: Mapping[str, Any] | None = None) -> str:
    return _after(text, *FLY_PIPELINE, *conversion(options), "canonicalize", *_LAST)


def _stored(body: str, value: str = "%v", type_: str = "i32") -> tuple[str, str]:
    pointer = f"!fly.ptr<{type_}, global>"
    return f"%p: {pointer}", f"{body}\nfly.ptr.store({value}, %p) : ({type_}, {pointer}) -> ()"


@pytest.fixture(scope="session")
def kernel() -> Callable[..., str]:
    """`kernel(arguments, body, block=(64, 1, 1), attributes="")`: a module with the kernel `k`."""
    return kernel_module


@pytest.fixture(scope="session")
def lower() -> Callable[..., str]:
    """`lower(module, options=None)`: its text after all passes that run in Python."""
    return _lower


@pytest.fixture(scope="session")
def after() -> Callable[..., str]:
    """`after(module, "convert-fly-to-nvvm", "nvvm-lower-math")`: its text after these passes."""
    return _after


@pytest.fixture(scope="session")
def stored() -> Callable[..., tuple[str, str]]:
    """`stored(body, value="%v", type_="i32")`: arguments and body of a kernel that stores a value at `%p`."""
    return _stored


@pytest.fixture
def ptx(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """`ptx(module, arch="sm_90a", options=None)`: what is made without an assembler."""

    def made(text: str, arch: str = "sm_90a", options: Mapping[str, Any] | None = None) -> str:
        monkeypatch.setenv("FLYDSL_CUDA_PTXAS", "none")
        backend, toolchain = CudaBackend(), default_toolchain()
        code = backend.emit_code_object(_lower(text, options), arch=arch, toolchain=toolchain)
        return backend.disassemble(code, arch=arch, toolchain=toolchain)

    return made


def _traced_ptx(body: Callable[..., object], arch: str = "sm_90a", block: int = 128) -> str:
    import flydsl.compiler as flyc
    import flydsl.expr as fx

    @flyc.kernel
    def kernel(x: fx.Tensor) -> None:
        body(x)

    @flyc.jit
    def launch(x: fx.Tensor) -> None:
        kernel(x).launch(grid=1, block=block)

    x = np.zeros(block, np.int32)
    return launch.trace(x, backend="cuda", arch=arch).lower().compile().disassemble()


@pytest.fixture
def traced_ptx() -> Callable[..., str]:
    """`traced_ptx(body, arch="sm_90a", block=128)`: the PTX of a kernel that calls `body(x)`, x a tensor of Int32.

    The assembler accepts it too, where there is one.
    """
    return _traced_ptx
