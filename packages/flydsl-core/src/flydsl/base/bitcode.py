"""LLVM bitcode that a module brings along for its external functions, as an attribute of its gpu.module."""

from __future__ import annotations

import re
from binascii import a2b_base64, b2a_base64
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from flydsl.base.startup.pattern import pattern

ATTRIBUTE = "fly.bitcode"
"""A list of texts in base 64, in the order of first use."""

_MAGIC = (b"BC\xc0\xde", b"\xde\xc0\x17\x0b")
_LIST = re.escape(ATTRIBUTE) + r' = \[((?:"[A-Za-z0-9+/=]*"(?:, )?)*)\]'


def is_bitcode(content: bytes) -> bool:
    """Whether `content` begins as LLVM bitcode does."""
    return content.startswith(_MAGIC)


def encode_bitcode(content: bytes) -> str:
    """One element of the attribute."""
    return b2a_base64(content, newline=False).decode()


def has_bitcode(text: str) -> bool:
    """Whether a module brings any."""
    return f'{ATTRIBUTE} = ["' in text


def take_bitcode(text: str) -> tuple[str, list[bytes]]:
    """The text of a module without its bitcode, and that."""
    contents = [
        a2b_base64(word.strip('"')) for match in pattern(_LIST).finditer(text) for word in match[1].split(", ") if word
    ]
    return pattern(_LIST).sub(f"{ATTRIBUTE} = []", text) if contents else text, list(dict.fromkeys(contents))


@contextmanager
def bitcode_files(contents: Sequence[bytes]) -> Iterator[tuple[Path, ...]]:
    """Files with the contents, for tools that read them by name."""
    if not contents:
        yield ()
        return
    from tempfile import TemporaryDirectory  # it loads much, and few kernels need it

    with TemporaryDirectory(prefix="flydsl-bitcode-") as folder:
        paths = tuple(Path(folder, f"{number}.bc") for number in range(len(contents)))
        for path, content in zip(paths, contents, strict=True):
            path.write_bytes(content)
        yield paths
