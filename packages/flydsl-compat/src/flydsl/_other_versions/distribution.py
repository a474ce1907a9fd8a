"""A wheel that claims a version of another distribution of this language, `flydsl`: for programs that ask for one.

    python -m flydsl._other_versions.distribution 0.5.0 --into dist
    pip install --no-index dist/flydsl-0.5.0-py3-none-any.whl

Some programs read `flydsl.__version__`, or require the distribution `flydsl` in a version. A namespace package has
neither. The wheel has metadata of that name and version, and a line that sets `flydsl.__version__` when Python starts;
no code of the language. It is made and installed on purpose, as it makes other programs believe what it says.
"""

from __future__ import annotations

import argparse
import re
import sys
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from flydsl_compat.differences import DIFFERENCES, Difference
from flydsl_compat.imitation import checked

from flydsl.base.errors import SettingError

_KNOWN = re.compile(r"0\.[2-5]\.\d+")
_SETTER = (
    'import importlib.util; s = importlib.util.find_spec("flydsl"); '
    's is not None and s.origin is None and setattr(__import__("flydsl"), "__version__", "{version}")\n'
)
"""Sets nothing where `flydsl` is no namespace, but a package that has a version of its own."""


def claim(version: str) -> str:
    """What the wheel says of itself; SettingError for a version that flydsl-compat does not imitate."""
    if not _KNOWN.fullmatch(version):
        raise SettingError(f"version {version!r} cannot be claimed: flydsl-compat imitates 0.2.x to 0.5.x")
    lacking = [row.name for row in DIFFERENCES if row.kind in ("name", "private") and _is_lacking(row, version)]
    return (
        f"This is not flydsl {version}. It claims its name and version for programs that ask for them, and the code "
        f"that they run is that of flydsl-core, with the names of other versions that flydsl-compat has. Of flydsl "
        f"{version} it lacks {', '.join(lacking)}."
    )


def _is_lacking(row: Difference, version: str) -> bool:
    """Whether a version has what flydsl-compat has not, as far as programs in use name it."""
    return row.is_in(checked(version)) and not row.works


def write_wheel(version: str, folder: Path) -> Path:
    """The wheel of a version, written to `folder`, which is made when it is missing."""
    about = claim(version)
    info = f"flydsl-{version}.dist-info"
    files = {
        "flydsl_version.pth": _SETTER.format(version=version),
        f"{info}/METADATA": (
            f"Metadata-Version: 2.1\nName: flydsl\nVersion: {version}\n"
            f"Summary: The name and version of flydsl {version}, for programs that run on flydsl-core\n"
            f"Requires-Python: >=3.11\nRequires-Dist: flydsl-compat\n\n{about}\n"
        ),
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: flydsl-compat\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{name},sha256={_digest(text)},{len(text.encode())}\n" for name, text in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n"
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"flydsl-{version}-py3-none-any.whl"
    with ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(ZipInfo(name), text, ZIP_DEFLATED)
    return wheel


def _digest(text: str) -> str:
    return urlsafe_b64encode(sha256(text.encode()).digest()).rstrip(b"=").decode()


def main(arguments: Sequence[str] | None = None) -> int:
    """The command: writes the wheel, says what it claims; 2 for a version that cannot be claimed."""
    parser = argparse.ArgumentParser(prog="python -m flydsl._other_versions.distribution", description=__doc__)
    parser.add_argument("version", help="the version to claim, such as 0.5.0")
    parser.add_argument("--into", type=Path, default=Path(), help="the folder of the wheel")
    given = parser.parse_args(arguments)
    try:
        wheel = write_wheel(given.version, given.into)
    except SettingError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{wheel}\n{claim(given.version)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
