"""Cache entries: an artifact's key, header and parts in one self-verifying file.

Layout: 8 bytes magic, u32 format version, u32 length of the header, sha256 of all that and of the header, the header in
JSON (full key, free fields, and name, offset, size and sha256 of each part), then the parts without gaps. Every byte of
the file is covered by one of the digests; there is nothing to execute or unpickle in it.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from flydsl.base.errors import FlyDSLError

JSON: TypeAlias = "bool | int | float | str | list[JSON] | dict[str, JSON] | None"

FORMAT_VERSION = 1
MAGIC = b"FlyCache"
_FIXED = struct.Struct("<8sII")
_PREFIX = _FIXED.size + 32


class BadEntryError(FlyDSLError):
    """A cache file that is not exactly what was written; the store turns it into a miss."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One artifact: its full key, free JSON fields (slot table, names, sizes) and named byte strings."""

    key: Mapping[str, str]
    header: Mapping[str, JSON] = field(default_factory=dict)
    parts: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def backend(self) -> str:
        return self.key.get("backend", "")

    @property
    def target(self) -> str:
        return self.key.get("target", "")


def encode(entry: Entry) -> bytes:
    """The file of `entry`: equal bytes for equal entries."""
    table: dict[str, JSON] = {}
    offset = 0
    for name, data in sorted(entry.parts.items()):
        table[name] = {"offset": offset, "size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        offset += len(data)
    document = {"key": dict(entry.key), "header": dict(entry.header), "parts": table}
    header = json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()
    fixed = _FIXED.pack(MAGIC, FORMAT_VERSION, len(header))
    parts = [entry.parts[name] for name in sorted(entry.parts)]
    return b"".join([fixed, hashlib.sha256(fixed + header).digest(), header, *parts])


def decode(data: bytes) -> Entry:
    """The entry in `data`, every byte verified; raises `BadEntryError` with what is wrong."""
    position, document = _document(data)
    parts: dict[str, bytes] = {}
    for name, stated in document["parts"].items():
        part = data[position : position + stated["size"]]
        if stated["offset"] != position - document["end"] or len(part) != stated["size"]:
            raise BadEntryError(f"part {name!r} is not where the header states")
        if hashlib.sha256(part).hexdigest() != stated.get("sha256"):
            raise BadEntryError(f"part {name!r} does not have the sha256 that the header states")
        parts[name] = part
        position += len(part)
    if position != len(data):
        raise BadEntryError(f"{len(data)} bytes found, {position} stated")
    return Entry(document["key"], document["header"], parts)


def check_size(head: bytes, size: int) -> None:
    """Raise `BadEntryError` when a file of `size` bytes that begins with `head` is not as long as its header states.

    A header that is longer than `head` is not looked into.
    """
    length = _fixed(head)
    end = _PREFIX + length
    if end <= len(head):
        _, document = _document(head)
        end += sum(stated["size"] for stated in document["parts"].values())
        if end != size:
            raise BadEntryError(f"{size} bytes found, {end} stated")
    elif end > size:
        raise BadEntryError(f"{size} bytes found, a header of {length} stated")


def decode_header(data: bytes) -> Entry:
    """The entry in the first bytes of a file, without its parts: for lists, never for running."""
    _, document = _document(data)
    return Entry(document["key"], document["header"])


def _fixed(data: bytes) -> int:
    """The length of the header, as the first bytes state it."""
    if len(data) < _PREFIX:
        raise BadEntryError(f"{len(data)} bytes are too few for a header")
    magic, version, size = _FIXED.unpack_from(data)
    if magic != MAGIC:
        raise BadEntryError(f"magic is {magic!r}, not {MAGIC!r}")
    if version != FORMAT_VERSION:
        raise BadEntryError(f"format version is {version}, not {FORMAT_VERSION}")
    return int(size)


def _document(data: bytes) -> tuple[int, dict[str, Any]]:
    """Where the parts begin, and the header: trusted only after its digest."""
    size = _fixed(data)
    end = _PREFIX + size
    if len(data) < end:
        raise BadEntryError(f"{len(data)} bytes found, a header of {size} stated")
    header = data[_PREFIX:end]
    if hashlib.sha256(data[: _FIXED.size] + header).digest() != data[_FIXED.size : _PREFIX]:
        raise BadEntryError("the header does not have the sha256 that the file states")
    try:
        return end, _checked(json.loads(header), end)
    except (ValueError, RecursionError) as error:
        raise BadEntryError(f"the header is no JSON: {error}") from None


def _checked(document: Any, end: int) -> dict[str, Any]:
    """The header when it has the form that `encode` writes; a digest says that it is whole, not that we wrote it."""
    tables = [document.get(name) for name in ("key", "header", "parts")] if isinstance(document, dict) else [None]
    if not all(isinstance(table, dict) for table in tables):
        raise BadEntryError("the header lacks key, header or parts")
    if not all(type(value) is str for value in document["key"].values()):
        raise BadEntryError("the key has a value that is no text")
    for name, stated in document["parts"].items():
        if not isinstance(stated, dict) or any(type(stated.get(field)) is not int for field in ("offset", "size")):
            raise BadEntryError(f"part {name!r} has no offset and size")
    return {**document, "end": end}
