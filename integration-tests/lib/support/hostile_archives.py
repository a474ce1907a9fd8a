"""Archives of a cache as no `flydsl cache export` writes them: good ones changed at random, and some built by hand."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import random
import struct
import tarfile
from collections.abc import Callable
from typing import Any

from flydsl.cache.entry import Entry, encode
from flydsl.cache.key import digest

Members = list[tuple[tarfile.TarInfo, bytes]]
ESCAPE = "\x1b]0;owned\x07\x1b[31m"


def entry_of(number: int) -> Entry:
    """A good entry."""
    return Entry({"backend": "cpu", "target": "x", "ir": str(number)}, {"name": f"kernel{number}"}, {"code": b"ab"})


def member(name: str, data: bytes, kind: bytes = tarfile.REGTYPE, **fields: Any) -> tuple[tarfile.TarInfo, bytes]:
    """A member with any fields."""
    info = tarfile.TarInfo(name)
    info.size, info.type = len(data), kind
    for field, value in fields.items():
        setattr(info, field, value)
    return info, data


def named(data: bytes, key: dict[str, str], suffix: str = "entry") -> tuple[tarfile.TarInfo, bytes]:
    """A member under the name of a key."""
    return member(f"{digest(key)[:2]}/{digest(key)}.{suffix}", data)


def packed(members: Members) -> bytes:
    """The archive of members, whose headers may say anything."""
    raw = io.BytesIO()
    for info, data in members:
        raw.write(info.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape"))
        raw.write(data + bytes(-len(data) % tarfile.BLOCKSIZE))
    raw.write(bytes(2 * tarfile.BLOCKSIZE))
    return gzip.compress(raw.getvalue(), 1)


def signed_anew(document: Any) -> bytes:
    """An entry file with any JSON as its header, and the digest that fits."""
    header = json.dumps(document, sort_keys=True, separators=(",", ":")).encode()
    fixed = struct.pack("<8sII", b"FlyCache", 1, len(header))
    return fixed + hashlib.sha256(fixed + header).digest() + header


def good_members(count: int) -> Members:
    """What an export of so many entries holds."""
    return [named(encode(entry_of(number)), dict(entry_of(number).key)) for number in range(count)]


def _document(key: Any, header: Any = None) -> dict[str, Any]:
    return {"key": key, "header": header or {}, "parts": {}}


def _with_key(value: Any) -> tuple[tarfile.TarInfo, bytes]:
    key = {"backend": "cpu", "ir": value}
    name = hashlib.sha256(repr(key).encode()).hexdigest()
    return member(f"{name[:2]}/{name}.entry", signed_anew(_document(key)))


KINDS: dict[str, Callable[[], Members]] = {
    "values of a key that are no text": lambda: [_with_key(value) for value in (3, None, ["a"], {"a": 1}, True)],
    "stacked long names": lambda: [member("././@LongLink", b"a\0", tarfile.GNUTYPE_LONGNAME) for _ in range(3000)],
    "stacked long links": lambda: [member("././@LongLink", b"a\0", tarfile.GNUTYPE_LONGLINK) for _ in range(3000)],
    "stacked pax headers": lambda: [member("pax", b"12 path=a\n\n", tarfile.XHDTYPE) for _ in range(3000)],
    "a pax header of 6 GiB": lambda: [member("pax", b"", tarfile.XHDTYPE, size=6 << 30)],
    "a pax header that sets sizes": lambda: [member("pax", b"20 size=6442450944\n", tarfile.XHDTYPE)],
    "a global pax header": lambda: [member("pax", b"20 size=6442450944\n", tarfile.XGLTYPE)],
    "a sparse file": lambda: [member("ab/abcd.entry", b"", tarfile.GNUTYPE_SPARSE)],
    "a huge member": lambda: [member("ab/abcd.entry", b"", size=1 << 62)],
    "a negative size": lambda: [member("ab/abcd.entry", b"", size=-5)],
    "escape codes": lambda: [
        member(f"{ESCAPE}", b"x"),
        named(encode(Entry({"backend": ESCAPE}, {"name": ESCAPE})), {"backend": ESCAPE}),
    ],
    "links": lambda: [
        member("ab/abcd.entry", b"", kind, linkname="/etc/passwd") for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE)
    ],
    "devices": lambda: [
        member("ab/abcd.entry", b"", kind, devmajor=1, devminor=5)
        for kind in (tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE)
    ],
    "paths": lambda: [
        member(name, b"x") for name in ("/etc/flydsl", "../../up.entry", "ab/../ab.entry", "ab/x.entry/", "ab//a.entry")
    ],
    "names twice": lambda: good_members(1) * 3,
    "another name": lambda: [member(good_members(1)[0][0].name, encode(entry_of(5)))],
    "a header that is deep": lambda: [member("ab/abcd.entry", signed_anew(_document({"a": "b"})) + b"[" * 100_000)],
    "a name that is not UTF-8": lambda: [member("\udcff\udcfe", b"x")],
}
"""What a member may be, besides a good one."""

ENDING = frozenset({"a huge member", "a negative size", "a pax header of 6 GiB"})
"""Those that leave nothing to read behind them."""


def mutated(seed: int) -> tuple[str, bytes]:
    """What was done, and the bytes of an archive that holds good entries 0 to 2 and something else or is damaged."""
    chance = random.Random(seed)
    what = chance.choice((*KINDS, "bytes", "cut", "unpacked bytes"))
    members = good_members(3)
    if what in KINDS:
        members[chance.randrange(4) : 0] = KINDS[what]()
        return what, packed(members)
    data = bytearray(packed(members) if what != "unpacked bytes" else gzip.decompress(packed(members)))
    if what == "cut":
        return what, bytes(data[: chance.randrange(len(data))])
    for _ in range(chance.choice((1, 2, 8))):
        data[chance.randrange(len(data))] = chance.randrange(256)
    return what, bytes(data) if what == "bytes" else gzip.compress(bytes(data), 1)
