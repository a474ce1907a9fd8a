"""Finding the native library."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import flydsl_cpu
from flydsl_cpu.toolkit import RUNTIME_LIBRARY


def test_library_of_the_installed_distribution_is_found() -> None:
    path = RUNTIME_LIBRARY.path()
    assert path is not None
    assert path.name == RUNTIME_LIBRARY.name


def test_library_is_found_when_the_sources_come_first_on_the_path() -> None:
    sources = next(Path(folder) for folder in flydsl_cpu.__path__ if Path(folder, "toolkit.py").is_file())
    script = "from flydsl_cpu.toolkit import RUNTIME_LIBRARY; print(RUNTIME_LIBRARY.path().is_file())"
    environment = {**os.environ, "PYTHONPATH": f"{sources.parent}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"
