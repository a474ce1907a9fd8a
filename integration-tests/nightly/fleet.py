"""A fleet compiles each kernel once: 8 workers of a Dask cluster fill one cache, whose archive a machine without a
compiler runs.

The kernels are those of 200 compile-time factors, for the CPU and for a simulated gfx942 in turn. The process that runs
them may not compile; for the CPU it has no native toolchain either, by which the simulator reads instructions. Of each
target it tells how many files of entries the workers left.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from support.long_run import Outcome, long_run

KERNELS = Path(__file__).resolve().parents[1] / "cache/precompiled_kernels.py"
WORKERS = 8
RUN = """
import sys
if sys.argv[2] == "cpu":
    sys.modules["flydsl_mlir"] = None
from precompiled_kernels import run_all
run_all(int(sys.argv[1]))
"""
TARGETS = {"cpu": {}, "rocm": {"FLYDSL_HIPSIM": "gfx942"}}


def flydsl(folder: Path, cache: str, backend: str, *words: str) -> subprocess.CompletedProcess[str]:
    """A process whose cache is the folder `cache`, with `words` for Python."""
    environment = {
        **os.environ,
        **TARGETS[backend],
        "FLYDSL_RUNTIME_CACHE_DIR": str(folder / cache),
        "FLYDSL_COMPILE_BACKEND": backend,
        "PYTHONPATH": os.pathsep.join([str(folder), *sys.path]),
    }
    if cache == "elsewhere":
        environment["FLYDSL_RUNTIME_RUN_ONLY"] = "1"
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def failures(count: int, backend: str, folder: Path) -> Iterator[str]:
    """What went wrong from compiling to running, of which the next step needs the one before."""
    shutil.copy(KERNELS, folder)
    jobs = [f"{KERNELS.name}:scale --arg 'f32(?):(1)' --arg ={factor}" for factor in range(count)]
    (folder / "jobs").write_text("\n".join(jobs))
    cli = ["-m", "flydsl.tools.cli"]
    steps = {
        "precompile": (
            "cache",
            *cli,
            "precompile",
            "jobs",
            "-j",
            str(WORKERS),
            "--executor",
            "precompiled_kernels:dask",
        ),
        "export": ("cache", *cli, "cache", "export", "archive.zip"),
        "import": ("elsewhere", *cli, "cache", "import", "archive.zip"),
        "run": ("elsewhere", "-c", RUN, str(count), backend),
    }
    for name, (cache, *words) in steps.items():
        done = flydsl(folder, cache, backend, *words)
        print(backend, name, done.stdout[-300:], done.stderr[-300:], file=sys.stderr, flush=True)
        if done.returncode:
            yield f"{name}: {(done.stderr or done.stdout)[-1000:]}"
            return


def run(count: int) -> Iterator[Outcome]:
    """A row a target."""
    for backend in TARGETS:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            found = tuple(failures(count, backend, folder))
            entries = sum(1 for path in (folder / "cache").rglob("*") if path.is_file())
            what = f"kernels compiled by {WORKERS} Dask workers, run without a compiler, {backend}"
            yield Outcome(what, count, count if found else 0, {"files": entries}, found)


if __name__ == "__main__":
    for outcome in run(long_run(__doc__, 200).count):
        outcome.print()
