"""The version that is imitated in this process."""

from __future__ import annotations

import sys
import warnings

from flydsl.base.errors import SettingError
from flydsl_compat.differences import DIFFERENCES, VERSIONS, Difference
from flydsl_compat.settings import compat

_CHOSEN: list[str] = []


class ImitationWarning(UserWarning):
    """What a version means otherwise than this language, which does not follow it there."""


def imitate(version: str) -> tuple[Difference, ...]:
    """Imitate a version, such as "0.3" or "0.3.1", from now on, for the whole process.

    `flydsl.__version__` is that version then, unless a distribution of that name sets it, and names that other versions
    have are errors that say so. Returns, and warns of, what that version means otherwise than this language does.
    SettingError for a version that is not known.
    """
    short = checked(version)
    _CHOSEN[:] = [short]
    package = sys.modules["flydsl"]
    if getattr(package, "__file__", None) is None and not hasattr(package, "__version__"):
        package.__version__ = version if version != short else f"{short}.0"  # type: ignore[attr-defined]
    differing = tuple(row for row in DIFFERENCES if row.kind == "meaning" and row.is_in(short) and not row.is_here)
    for row in differing:
        warnings.warn(f"flydsl {short}: {row.name}; here {row.note}", ImitationWarning, stacklevel=2)
    return differing


def imitated() -> str:
    """The version that is imitated, by `imitate` or FLYDSL_COMPAT_VERSION; empty when names of any version count."""
    if _CHOSEN:
        return _CHOSEN[0]
    return checked(compat.version) if compat.version else ""


def checked(version: str) -> str:
    """The first two numbers of a version; SettingError for one that is not known."""
    numbers = version.split(".") if isinstance(version, str) else []
    short = ".".join(numbers[:2])
    if short not in VERSIONS or len(numbers) > 3 or not all(number.isdecimal() for number in numbers):
        raise SettingError(f"version {version!r} is not imitated; flydsl-compat imitates {', '.join(VERSIONS)}")
    return short
