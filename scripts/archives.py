"""The packages of this workspace, and checks of the archives built of them: each holds what it must, and no more.

Usage: python scripts/archives.py dist
"""

from __future__ import annotations

import re
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_FOREIGN = re.compile(r"(^|/)(build|\.venv|__pycache__|\.pytest_cache)/|\.pyc$")
_BUILT = re.compile(r"\.so$|/_build\.py$|/fly-passes$")
"""What a build makes, and a source distribution does not have."""
_SELF_CONTAINED = ("cp311-cp311", "cp312-abi3")
"""The wheels of flydsl-mlir: Python 3.11 has no stable interface that its bindings could use."""


@dataclass(frozen=True, slots=True)
class Package:
    """A distribution of this workspace."""

    folder: Path
    name: str
    version: str
    tags: tuple[str, ...]
    """Python and interface of each of its wheels."""
    is_native: bool

    @property
    def stem(self) -> str:
        """What the names of its archives begin with."""
        return f"{self.name.replace('-', '_')}-{self.version}"


def packages() -> list[Package]:
    """All distributions, the core first: builds of others ask for it."""
    found = [_package(folder) for folder in sorted(ROOT.glob("packages/*"))]
    return sorted(found, key=lambda package: (package.name != "flydsl-core", package.name))


def _package(folder: Path) -> Package:
    project = tomllib.loads((folder / "pyproject.toml").read_text())
    settings = project["tool"].get("scikit-build")
    api = settings.get("wheel", {}).get("py-api", "") if settings else "py3"
    if not api:
        tags: tuple[str, ...] = _SELF_CONTAINED
    else:
        tags = (f"{api}-none" if api == "py3" else f"{api}-abi3",)
    return Package(folder, folder.name, project["project"]["version"], tags, settings is not None)


def check_all(dist: Path) -> Iterator[str]:
    """What is wrong with the archives in `dist`, a line for each flaw."""
    for package in packages():
        wheels, sdist = sorted(dist.glob(f"{package.stem}-*.whl")), dist / f"{package.stem}.tar.gz"
        tags = sorted("-".join(wheel.stem.split("-")[2:4]) for wheel in wheels)
        if tags != sorted(package.tags):
            yield f"{package.name}: wheels for {', '.join(tags) or 'nothing'}, expected {', '.join(package.tags)}"
        for wheel in wheels:
            yield from check_wheel(package, wheel)
        if sdist.is_file():
            yield from check_sdist(package, sdist)
        else:
            yield f"{package.name}: {sdist.name} is missing"


def check_wheel(package: Package, wheel: Path) -> Iterator[str]:
    """What is wrong with `wheel`."""
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
    information = f"{package.stem}.dist-info"
    for needed in (f"{information}/licenses/LICENSE", f"{information}/METADATA"):
        if needed not in names:
            yield f"{wheel.name}: {needed} is missing"
    yield from (f"{wheel.name}: {name} does not belong there" for name in names if _FOREIGN.search(name))
    if "flydsl/__init__.py" in names:
        yield f"{wheel.name}: flydsl/__init__.py would hide the other parts of the namespace"
    if not any(name.endswith("/py.typed") for name in names):
        yield f"{wheel.name}: py.typed is missing"
    platform = wheel.stem.split("-")[4]
    if package.is_native == (platform == "any"):
        yield f"{wheel.name}: {platform!r} is not the platform of a package that is native: {package.is_native}"
    if platform.startswith("linux_"):
        yield f"{wheel.name}: indexes refuse the platform {platform!r}: `nox -s release` gives it one of manylinux"
    extra = [name for name in names if re.match(r"[^/]+\.libs/", name)]
    yield from (f"{wheel.name}: {name} is a library of the machine that it was built on" for name in extra)


def check_sdist(package: Package, sdist: Path) -> Iterator[str]:
    """What is wrong with the source distribution `sdist`."""
    with tarfile.open(sdist) as file:
        names = file.getnames()
    for needed in ("LICENSE", "README.md", "pyproject.toml", "PKG-INFO"):
        if f"{package.stem}/{needed}" not in names:
            yield f"{sdist.name}: {needed} is missing"
    foreign = [name for name in names if _FOREIGN.search(name) or _BUILT.search(name)]
    yield from (f"{sdist.name}: {name} does not belong there" for name in foreign)


def main(dist: Path) -> int:
    problems = list(check_all(dist))
    print("\n".join(problems) or f"{dist}: every distribution is complete")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
