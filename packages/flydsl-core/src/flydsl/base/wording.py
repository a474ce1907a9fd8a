"""Words of messages."""

from __future__ import annotations


def articled(noun: str) -> str:
    """`noun`, a name that a message is about, behind its article: an Int32, a Uint32, a Tensor."""
    first = noun.lstrip("'\"!")[:1].lower()
    return f"{'an' if first in {*'aeio'} else 'a'} {noun}"
