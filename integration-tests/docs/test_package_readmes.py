"""The program of every package's README runs, in a process of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(ROOT.glob("packages/*/README.md"))
PROGRAM = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_the_program_of_a_readme_runs(page: Path, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("\n".join(PROGRAM.findall(page.read_text())))
    assert "assert " in program.read_text()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("FLYDSL_")}
    environment |= {"FLYDSL_RUNTIME_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, program], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_package_has_a_readme() -> None:
    assert {page.parent for page in PAGES} == {path.parent for path in ROOT.glob("packages/*/pyproject.toml")}
