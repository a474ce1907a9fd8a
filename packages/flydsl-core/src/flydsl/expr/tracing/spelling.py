"""A word that does not exist in, the ones that were probably meant out."""

from __future__ import annotations

from collections.abc import Iterable

_ELSEWHERE = {
    "abs": "absf",
    "cdiv": "ceil_div",
    "make_tensor": "make_view",
    "maximum": "max",
    "minimum": "min",
    "pow": "powf",
    "program_id": "block_idx",
    "syncthreads": "barrier",
    "sync_threads": "barrier",
    "threadIdx": "thread_idx",
    "zeros": "full",
}
"""What words of other kernel languages are called here."""


def meant(name: str, words: Iterable[str]) -> str:
    """`did you mean 'make_layout'?`, or nothing when no public word is close."""
    import difflib

    public = [word for word in words if not word.startswith("_")]
    close = [word for word in public if word == _ELSEWHERE.get(name)] or difflib.get_close_matches(name, public, n=2)
    return f"did you mean {' or '.join(map(repr, close))}?" if close else ""
