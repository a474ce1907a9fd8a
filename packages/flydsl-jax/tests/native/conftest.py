"""The handlers in a program of their own, driven by a fake of XLA: how it is built, and run."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SOURCES = HERE.parents[1] / "src/native"
SANITIZE = os.environ.get("FLYDSL_SANITIZE", "")  # as `scripts/sanitize.py` asks for


@pytest.fixture(scope="session")
def run_scenario(
    tmp_path_factory: pytest.TempPathFactory, compile_c: Callable[..., Path], fake_launcher: Path
) -> Callable[[str], None]:
    """Run one scenario of the program; it ends with an error when an expectation is not met."""
    sources = [*sorted(SOURCES.glob("*.c")), *sorted(HERE.glob("*.c"))]
    flags = (f"-fsanitize={SANITIZE}", "-fno-sanitize-recover=all") if SANITIZE else ()
    program = tmp_path_factory.mktemp("handlers") / "handlers"
    compile_c([path for path in sources if path.name != "fake_launcher.c"], program, *flags)
    environment = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=1"}

    def run(name: str) -> None:
        command = [str(program), name, str(fake_launcher)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        assert (done.returncode, done.stderr) == (0, "")

    return run
