"""A file `flydsl/__init__.py` that makes a package of the namespace is told of."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import flydsl.base


def test_a_package_in_the_place_of_the_namespace_is_told(tmp_path: Path) -> None:
    """One that finds our modules; with another one none of our code runs."""
    shadow = tmp_path / "flydsl" / "__init__.py"
    shadow.parent.mkdir()
    core = str(Path(flydsl.base.__file__).parents[1])
    shadow.write_text(f"__path__.append({core!r})\n")
    program = "import sys\nsys.path.insert(0, sys.argv[1])\nimport flydsl.base.errors\n"
    command = [sys.executable, "-c", program]
    done = subprocess.run([*command, str(tmp_path)], capture_output=True, text=True, check=True)
    assert f"RuntimeWarning: {shadow} makes a package of the namespace 'flydsl'" in done.stderr
    assert "remove the file, or uninstall" in done.stderr
    assert not subprocess.run([*command, "/"], capture_output=True, text=True, check=True).stderr
