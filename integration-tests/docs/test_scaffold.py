"""`nox -s scaffold_backend -- NAME`: a plugin to start from, which conforms."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def scaffold(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "scripts/scaffold_backend.py"), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_plugin_has_the_new_name_everywhere_and_conforms(tmp_path: Path) -> None:
    folder = tmp_path / "flydsl-acorn"
    assert scaffold("acorn", str(folder)).returncode == 0
    written = [path for path in folder.rglob("*") if path.is_file()]
    assert folder / "src/flydsl_acorn/plugin.py" in written
    assert [path for path in written if "tiny" in (str(path.relative_to(folder)) + path.read_text()).lower()] == []
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder / "src"), *filter(None, sys.path)])}
    command = [sys.executable, "-m", "flydsl.tools.cli", "conformance", "--file", "tests/test_conformance.py"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "L2     execution      launch" in done.stdout


def test_nothing_is_overwritten_and_names_are_checked(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("mine")
    done = scaffold("acorn", str(tmp_path))
    assert done.returncode == 1
    assert f"there is {tmp_path / 'pyproject.toml'} already" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["pyproject.toml"]
    assert scaffold("Acorn-2").returncode == scaffold().returncode == 2
