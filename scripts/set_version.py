"""The version of all distributions, set in every pyproject.toml with the ranges between siblings.

Usage: python scripts/set_version.py 0.2.0, or `nox -s version -- 0.2.0`. All distributions are released together, and a
range admits the releases that share the first two numbers: `>=0.2,<0.3`.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROJECTS = [ROOT / "pyproject.toml", *sorted(ROOT.glob("packages/*/pyproject.toml"))]
VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)(?:(?:a|b|rc|\.dev)\d+)?")
_OWN = re.compile(r'^version = "[^"]*"$', re.MULTILINE)
_SIBLING = re.compile(r'"(flydsl-[a-z]+(?:\[[a-z,]+\])?)[^"\w-][^"]*"')


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or VERSION.fullmatch(arguments[0]) is None:
        print("usage: set_version.py MAJOR.MINOR.PATCH", file=sys.stderr)
        return 2
    for project in PROJECTS:
        project.write_text(with_version(project.read_text(), arguments[0]))
    return 0


def with_version(text: str, version: str) -> str:
    """`text` of a pyproject.toml with `version`, and with requirements of siblings of that series."""
    stated = _OWN.sub(f'version = "{version}"', text, count=1)
    return _SIBLING.sub(lambda match: f'"{match.group(1)}{sibling_range(version)}"', stated)


def sibling_range(version: str) -> str:
    """The releases that one of `version` works with: `>=0.1,<0.2` for 0.1.3; `>=0.2.0rc1,<0.3` for a pre-release."""
    matched = VERSION.fullmatch(version)
    if matched is None:
        raise ValueError(f"version is MAJOR.MINOR.PATCH, got {version!r}")
    major, minor, _ = matched.groups()
    is_final = version.count(".") == 2 and version.replace(".", "").isdigit()
    return f">={f'{major}.{minor}' if is_final else version},<{major}.{int(minor) + 1}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
