"""Environments that have one version of one project, and all else from the environment that this runs in."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distributions, version
from pathlib import Path

from absent_libraries import stand_in
from packaging.requirements import Requirement

_NO_GPU_NEEDED = ("nvidia-", "cuda-", "triton", "pytorch-triton")
"""How names begin of what PyTorch requires and what nothing here loads; gigabytes."""


def make_environment(folder: Path, name: str, wanted: str) -> Path:
    """The interpreter of an environment in `folder` with version `wanted` of `name`, and with what that requires.

    subprocess.CalledProcessError when pip cannot have one.
    """
    venv.create(folder, symlinks=True)
    python = folder / "bin/python"
    _install(python, [f"{name}=={wanted}"])
    (site,) = folder.glob("lib/python*/site-packages")
    for _ in range(3):  # what is installed requires more
        missing = sorted(set(_missing(site)))
        if not missing:
            break
        _install(python, missing)
    if (site / "torch/lib").is_dir():
        stand_in(site / "torch/lib")
    below = sysconfig.get_path("purelib")
    (site / "below.pth").write_text(f"import site; site.addsitedir({below!r})\n")  # after this one, with its .pth files
    return python


def environment_of(folder: Path) -> dict[str, str]:
    """Variables for what runs there: kernels are compiled anew, and nothing is written beside the sources."""
    own = {"FLYDSL_RUNTIME_CACHE_DIR": "kernels", "TORCHINDUCTOR_CACHE_DIR": "inductor"}  # no header of another torch
    return {**os.environ, **{name: str(folder / kept) for name, kept in own.items()}, "PYTHONDONTWRITEBYTECODE": "1"}


def _install(python: Path, requirements: list[str]) -> None:
    options = ("--quiet", "--no-deps", "--no-compile", "--no-cache-dir", "--only-binary", ":all:")
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", *options, *requirements]
    subprocess.run(command, check=True)


def _missing(site: Path) -> Iterator[str]:
    """What distributions in `site` require and neither it nor the environment below has."""
    own = {found.name.lower().replace("_", "-"): found.version for found in distributions(path=[str(site)])}
    for found in distributions(path=[str(site)]):
        for text in found.requires or ():
            need = Requirement(text)
            name = need.name.lower().replace("_", "-")
            if name.startswith(_NO_GPU_NEEDED) or (need.marker and not need.marker.evaluate({"extra": ""})):
                continue
            has = own.get(name) or _below(name)
            if has is None or not need.specifier.contains(has, prereleases=True):
                yield f"{need.name}{need.specifier}"


def _below(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
