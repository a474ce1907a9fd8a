"""`flydsl precompile`: workers of any executor fill one cache; a process that may not compile runs what is there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
KERNELS = "precompiled_kernels.py"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(HERE / KERNELS, tmp_path)
    return tmp_path


def run(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "FLYDSL_RUNTIME_CACHE_DIR": str(folder / "cache"),
        "FLYDSL_COMPILE_BACKEND": "cpu",
        "PYTHONPATH": os.pathsep.join([str(folder), *sys.path]),
        **variables,
    }
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def precompile(folder: Path, lines: list[str], *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    (folder / "jobs").write_text("\n".join(lines))
    return run(folder, "-m", "flydsl.tools.cli", "precompile", "jobs", *words, **variables)


def jobs(count: int = 4) -> list[str]:
    return [f"{KERNELS}:scale --arg 'f32(?):(1)' --arg ={factor}  # by {factor}" for factor in range(count)]


@pytest.mark.parametrize("executor", ["", "precompiled_kernels:threads", "precompiled_kernels:dask"])
def test_what_workers_compiled_runs_without_a_compiler(executor: str, folder: Path) -> None:
    chosen = ["--executor", executor] if executor else []
    done = precompile(folder, jobs(), "-j", "2", *chosen)
    assert done.returncode == 0, done.stderr + done.stdout
    assert done.stdout.splitlines()[-1] == "4 kernels in the cache, 0 failed"
    ran = run(folder, KERNELS, FLYDSL_RUNTIME_RUN_ONLY="1")
    assert ran.stdout == "all right\n", ran.stderr


def test_a_job_that_fails_leaves_the_others(folder: Path) -> None:
    wrong = [f"{KERNELS}:nothing", f"{KERNELS}:scale --arg 'f32(?):(1)' --arg f32", "missing.py:scale"]
    done = precompile(folder, [*wrong, *jobs()], "-j", "1", "--executor", "precompiled_kernels:threads")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "4 kernels in the cache, 3 failed"
    assert "has no @flyc.jit function 'nothing'" in done.stdout
    assert "expected FILE:FUNCTION with an existing file, found 'missing.py:scale'" in done.stdout


def test_a_job_whose_worker_was_lost_is_done_again(folder: Path) -> None:
    variables = {"LOST_WORKER": str(folder / "lost")}
    done = precompile(folder, jobs(), "-j", "1", "--executor", "precompiled_kernels:losing", **variables)
    assert (folder / "lost").exists()
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "4 kernels in the cache, 0 failed")


def test_a_worker_that_dies_twice_of_a_job_fails_that_job_alone(folder: Path) -> None:
    (folder / "deadly.py").write_text("import os\nos._exit(9)\n")
    done = precompile(folder, ["deadly.py:f", *jobs(2)], "-j", "1")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (1, "2 kernels in the cache, 1 failed")
    assert "its worker was lost twice: " in done.stdout


@pytest.mark.parametrize(
    ("lines", "words", "message"),
    [
        (["kernels.py:f --emit isa"], [], "jobs:1: unrecognized arguments: --emit isa"),
        (["", "kernels.py:f --arg 'f32"], [], "jobs:2: No closing quotation"),
        (["--arg f32"], [], "jobs:1: the following arguments are required: function"),
        ([], ["-j", "0"], "--jobs is at least 1, found 0"),
        (["kernels.py:f"], ["--executor", "nothing:there"], "No module named 'nothing'"),
        (["kernels.py:f"], ["--executor", "no reference"], "'no reference' is not a 'module:attribute' reference"),
    ],
)
def test_wrong_lines_and_words_are_told_before_anything_runs(
    lines: list[str], words: list[str], message: str, folder: Path
) -> None:
    done = precompile(folder, lines, *words)
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr
    assert not (folder / "cache").exists()
