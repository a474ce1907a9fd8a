"""A word that does not exist in, the ones that were probably meant out."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["meant"]


def meant(name: str, words: Iterable[str]) -> str:
    """`did you mean 'make_layout'?`, or nothing when no public word is close."""
    import difflib

    public = [word for word in words if not word.startswith("_")]
    close = difflib.get_close_matches(name, public, n=2)
    return f"did you mean {' or '.join(map(repr, close))}?" if close else ""
