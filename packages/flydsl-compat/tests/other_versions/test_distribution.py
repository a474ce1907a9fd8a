"""A wheel that claims a version: what programs read of it once it is installed, and what it says of itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from flydsl._other_versions.distribution import claim, main

ASKED = """
import site, sys
site.addsitedir(sys.argv[1])
import importlib.metadata
import flydsl
import flydsl.expr
print(flydsl.__version__, importlib.metadata.version("flydsl"))
print(importlib.metadata.metadata("flydsl").get_payload())
"""


@pytest.mark.parametrize("version", ["0.2.4", "0.3.1", "0.5.0"])
def test_an_installed_wheel_is_what_programs_ask_for(
    version: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([version, "--into", str(tmp_path / "wheels")]) == 0
    wheel, said = capsys.readouterr().out.splitlines()
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    target = tmp_path / "site"
    subprocess.run([*pip, "install", "--no-index", "--no-deps", "--target", str(target), wheel], check=True)
    line = [sys.executable, "-c", ASKED, str(target)]
    answer = subprocess.run(line, capture_output=True, text=True, check=True).stdout.strip().splitlines()
    assert answer == [f"{version} {version}", said]
    assert said == claim(version)
    assert f"not flydsl {version}" in said
    assert "flydsl.compiler.jit_executor" in said.partition(" it lacks ")[2]
    assert "flydsl.utils.smem_allocator.SmemAllocator" in said.partition(" it lacks ")[2]  # found, and refused


def test_a_package_of_that_name_keeps_its_version(tmp_path: Path) -> None:
    (tmp_path / "front/flydsl").mkdir(parents=True)
    (tmp_path / "front/flydsl/__init__.py").write_text("__version__ = '9'\n")
    main(["0.5.0", "--into", str(tmp_path)])
    wheel = tmp_path / "flydsl-0.5.0-py3-none-any.whl"
    subprocess.run([sys.executable, "-m", "zipfile", "-e", wheel, tmp_path / "s"], check=True)
    setup = "import sys, site; sys.path.insert(0, sys.argv[2]); site.addsitedir(sys.argv[1])"
    code = f"{setup}; import flydsl; print(flydsl.__version__)"
    line = [sys.executable, "-c", code, str(tmp_path / "s"), str(tmp_path / "front")]
    assert subprocess.run(line, capture_output=True, text=True, check=True).stdout == "9\n"


@pytest.mark.parametrize("version", ["1.0.0", "0.6.1", "0.5", "../0.5.0"])
def test_a_version_that_is_not_imitated_is_refused(
    version: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([version, "--into", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"version {version!r} cannot be claimed: flydsl-compat imitates 0.2.x to 0.5.x\n"
    assert list(tmp_path.iterdir()) == []


def test_what_is_lacking_is_of_the_version_that_is_claimed() -> None:
    assert "flydsl.compiler.JitFunction.manager_key" in claim("0.4.2")
    assert "manager_key" not in claim("0.5.0")
    assert "toolkit_fingerprint" in claim("0.5.0")
