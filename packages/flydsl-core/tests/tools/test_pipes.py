"""Commands whose reader goes away, and settings that are wrong, as a shell sees them."""

from __future__ import annotations

import os
import subprocess
import sys

COMMAND = [sys.executable, "-m", "flydsl.tools.cli"]


def test_a_reader_that_has_enough_is_no_error() -> None:
    with subprocess.Popen(
        [*COMMAND, "layout", "(128,128):(1,128)"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_doctor_and_cache_path_name_one_folder(tmp_path: os.PathLike[str]) -> None:
    environment = {**os.environ, "FLYDSL_RUNTIME_CACHE_DIR": os.fspath(tmp_path)}
    path, report = (
        subprocess.run([*COMMAND, *words], capture_output=True, text=True, env=environment, check=False).stdout
        for words in (["cache", "path"], ["doctor"])
    )
    (line,) = [line for line in report.splitlines() if line.split()[:1] == ["cache"]]
    assert line.split()[1:] == path.split()
