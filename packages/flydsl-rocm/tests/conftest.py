"""Fly text in; lowered text, code objects and instructions out: as fixtures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support.device_modules import kernel_module, text_after

from flydsl.backend.pipeline import FLY_PIPELINE
from flydsl.toolchain.select import default_toolchain
from flydsl_rocm.backend import RocmBackend
from flydsl_rocm.dialect import FLY_ROCDL
from flydsl_rocm.pipeline import conversion
from flydsl_rocm.plugin import flydsl_compile_backends
from flydsl_rocm.target import target_of

_after = text_after(FLY_ROCDL, flydsl_compile_backends()[0].passes)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_RUNTIME_CACHE_DIR", str(tmp_path))


def _lower(text: str) -> str:
    return _after(text, *FLY_PIPELINE, *conversion(target_of("gfx942")), "canonicalize")


def _assemble(text: str, arch: str = "gfx942") -> str:
    backend, toolchain = RocmBackend(), default_toolchain()
    code = backend.emit_code_object(_lower(text), arch=arch, toolchain=toolchain)
    assert code[:4] == b"\x7fELF"
    return backend.disassemble(code, arch=arch, toolchain=toolchain)


@pytest.fixture(scope="session")
def kernel() -> Callable[..., str]:
    """`kernel(arguments, body, block=(64, 1, 1), attributes="")`: a module with the kernel `k`."""
    return kernel_module


@pytest.fixture(scope="session")
def lower() -> Callable[[str], str]:
    """`lower(module)`: its text after all passes that run in Python."""
    return _lower


@pytest.fixture(scope="session")
def after() -> Callable[..., str]:
    """`after(module, "convert-fly-to-rocdl", "rocdl-lower-math")`: its text after these passes."""
    return _after


@pytest.fixture(scope="session")
def assemble() -> Callable[..., str]:
    """`assemble(module, arch="gfx942")`: the instructions of its code object."""
    return _assemble
