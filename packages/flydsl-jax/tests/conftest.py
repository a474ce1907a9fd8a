"""Four devices of the CPU, and native code that tests build."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from flydsl.runtime.abi import include_dir

os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=4"

PROGRAM = """
import ctypes, sys, threading
import jax, jax.numpy as jnp
from fake_runtime import *
from flydsl.jax import native, registration
from flydsl.jax.platforms import Platform
"""
HERE = Path(__file__).parent
NATIVE = HERE.parent / "src/native"
WARNINGS = ("-Wall", "-Wextra", "-Wstrict-prototypes", "-Wmissing-prototypes", "-Werror")


@pytest.fixture(scope="session")
def compile_c() -> Callable[..., Path]:
    """Compile C files, which find the headers of the launcher ABI, the library and XLA: sources, output, flags."""
    from jax.ffi import include_dir as xla_include_dir

    includes = [f"-I{include_dir()}", f"-I{NATIVE}", "-isystem", xla_include_dir()]

    def build(sources: list[Path], output: Path, *flags: str) -> Path:
        command = ["cc", "-std=c11", "-O1", "-g", *WARNINGS, *flags, *includes, *map(str, sources), "-o", str(output)]
        subprocess.run([*command, "-ldl", "-pthread"], check=True)
        return output

    return build


@pytest.fixture(scope="session")
def fake_launcher(tmp_path_factory: pytest.TempPathFactory, compile_c: Callable[..., Path]) -> Path:
    """A launcher that hands its packed arguments to the runtime's launch as the one parameter."""
    output = tmp_path_factory.mktemp("launcher") / "launcher.so"
    return compile_c([HERE / "native/fake_launcher.c"], output, "-shared", "-fPIC")


@pytest.fixture
def run_program(fake_launcher: Path) -> Callable[[str], list[str]]:
    """Run a program with the names of fake_runtime.py: the lines that it prints."""

    def run(text: str) -> list[str]:
        command = [sys.executable, "-W", "error", "-c", PROGRAM + text, str(fake_launcher)]
        environment = {**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONPATH": str(HERE)}
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.splitlines()

    return run
