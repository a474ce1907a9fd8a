"""What a plugin's distribution requires of flydsl-core, compared with the one that is installed."""

from __future__ import annotations

import re
from collections.abc import Mapping

from flydsl.base.origin import normalised_name
from flydsl.plugins.entry_points import installed_distributions, read_metadata

CORE = "flydsl-core"

_REQUIREMENT = re.compile(rf"^Requires-Dist: {CORE}\s*\(?([^;)\n]*)\)?\s*$", re.MULTILINE | re.IGNORECASE)
_BOUND = re.compile(r"(>=|<=|==|!=|<|>)\s*(\d+(?:\.\d+)*)[^\s,]*")
_VERSION = re.compile(r"^Version: (\S+)", re.MULTILINE)


def unmet_requirement(distribution: str, installed: Mapping[str, str] | None = None) -> str:
    """How the installed core is out of the range that `distribution` asks for, and what to do; empty when it is not.

    `installed` is the result of `installed_distributions`, which is asked when it is not given.
    """
    folders = installed_distributions() if installed is None else installed
    own, core = folders.get(normalised_name(distribution)), folders.get(normalised_name(CORE))
    stated = _VERSION.search(read_metadata(core)) if core else None
    range_of = _REQUIREMENT.search(read_metadata(own)) if own else None
    if stated is None or range_of is None or is_within(stated.group(1), range_of.group(1)):
        return ""
    bounds = [_numbers(bound) for sign, bound in _BOUND.findall(range_of.group(1)) if sign.startswith("<")]
    is_older = bool(bounds) and _numbers(stated.group(1)) >= min(bounds)
    todo = f"upgrade {distribution}" if is_older else f"upgrade {CORE}"
    return f"{distribution} requires {CORE}{range_of.group(1).strip()}, {stated.group(1)} is installed: {todo}"


def is_within(version: str, bounds: str) -> bool:
    """Whether a version is in a range such as `<0.2,>=0.1`; a pre-release counts as the release that it leads to."""
    for sign, bound in _BOUND.findall(bounds):
        own, other = _numbers(version), _numbers(bound)
        length = max(len(own), len(other))
        left, right = (numbers + (0,) * (length - len(numbers)) for numbers in (own, other))
        holds = {
            ">=": left >= right, "<=": left <= right, "==": left == right,
            "!=": left != right, "<": left < right, ">": left > right,
        }  # fmt: skip
        if not holds[sign]:
            return False
    return True


def _numbers(version: str) -> tuple[int, ...]:
    release = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(map(int, release.group().split("."))) if release else ()
