"""Bitcode in the text of MLIR's pass pipelines, as the attach-target passes take it: `l=a.bc`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from flydsl.base.errors import SettingError

_BREAKS = re.compile(r"[\s,{}\"']")
_ATTACH = re.compile(r"([\w-]*-attach-target)(\{([^}]*)\})?")


def _format_link_lib_options(paths: Iterable[str]) -> str:
    """The options of the files: `l=a.bc l=b.bc`; ValueError for a path that the text of a pipeline cannot have."""
    found = [str(path) for path in paths]
    for path in found:
        if not path or _BREAKS.search(path):
            raise SettingError(
                f"Cannot pass external bitcode path {path!r}: in the options of a pass stand no blanks, commas, braces "
                "and quotes; link it with link_extern, which takes any path"
            )
    return " ".join(f"l={path}" for path in found)


def _append_link_lib_options_to_attach_targets(fragments: Sequence[str], options: str) -> tuple[list[str], bool]:
    """The parts of a pipeline with `options` in the braces of each attach-target pass, and whether there was one."""
    found = False

    def extended(match: re.Match[str]) -> str:
        nonlocal found
        found = True
        return f"{match[1]}{{{' '.join(filter(None, [(match[3] or '').strip(), options]))}}}"

    return [_ATTACH.sub(extended, fragment) for fragment in fragments], found
