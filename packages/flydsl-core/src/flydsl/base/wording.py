"""Words of messages."""

from __future__ import annotations

from collections.abc import Iterable


def with_article(noun: str) -> str:
    """`noun`, a name that a message is about, behind its article: an Int32, a Uint32, a Tensor."""
    first = noun.lstrip("'\"!")[:1].lower()
    return f"{'an' if first in {*'aeio'} else 'a'} {noun}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`; did you mean 'size'?`, or an empty string when no known name is close."""
    from difflib import get_close_matches  # here: for errors only

    names = list(known)
    close = [one for one in names if one.lower() == name.lower()] or get_close_matches(name, names, 2)
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
