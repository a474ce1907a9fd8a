"""A check of built distributions: each package has one wheel and one sdist, and they hold what they must and no more.

Usage: python scripts/check_archives.py dist
"""

from __future__ import annotations

import re
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_FOREIGN = re.compile(r"(^|/)(build|\.venv|__pycache__|\.pytest_cache)/|\.pyc$")


def main(folder: Path) -> int:
    problems = [problem for package in sorted(ROOT.glob("packages/*")) for problem in check(package, folder)]
    print("\n".join(problems) or f"{folder}: every distribution is complete")
    return bool(problems)


def check(package: Path, folder: Path) -> Iterator[str]:
    """What is wrong with the archives of `package` in `folder`."""
    version = tomllib.loads((package / "pyproject.toml").read_text())["project"]["version"]
    stem = f"{package.name.replace('-', '_')}-{version}"
    wheels, sdists = sorted(folder.glob(f"{stem}-*.whl")), sorted(folder.glob(f"{stem}.tar.gz"))
    if len(wheels) != 1 or len(sdists) != 1:
        yield f"{stem}: {len(wheels)} wheels and {len(sdists)} sdists, expected one of each"
        return
    with zipfile.ZipFile(wheels[0]) as wheel_file, tarfile.open(sdists[0]) as sdist_file:
        wheel, sdist = wheel_file.namelist(), sdist_file.getnames()
    licence = f"{stem}.dist-info/licenses/LICENSE"
    for archive, names, needed in [
        (wheels[0], wheel, [licence, f"{stem}.dist-info/METADATA"]),
        (sdists[0], sdist, [f"{stem}/{name}" for name in ("LICENSE", "README.md", "pyproject.toml", "PKG-INFO")]),
    ]:
        yield from (f"{archive.name}: {name} is missing" for name in needed if name not in names)
        yield from (f"{archive.name}: {name} does not belong there" for name in names if _FOREIGN.search(name))
    if "flydsl/__init__.py" in wheel:
        yield f"{wheels[0].name}: flydsl/__init__.py would hide the other parts of the namespace"
    if not any(name.endswith("/py.typed") for name in wheel):
        yield f"{wheels[0].name}: py.typed is missing"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
