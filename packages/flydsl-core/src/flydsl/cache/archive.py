"""Archives of a store: its entries and index records in one file, each verified on the way in and out.

An archive is a gzip-compressed tar file whose members are named as on the shelves, `ab/<digest>.entry`. Nothing is
unpacked to a path: a member becomes a file of the store only after its bytes, its key and its name have been checked.
"""

from __future__ import annotations

import gzip
import io
import os
import re
import stat
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from flydsl.base.errors import FlyDSLError
from flydsl.base.files.bounded_file import open_regular
from flydsl.base.files.private_folder import UntrustedFileError
from flydsl.cache.entry import BadEntryError, Entry, decode
from flydsl.cache.key import digest
from flydsl.cache.store import LARGEST, Store

_BLOCK = tarfile.BLOCKSIZE
_REGULAR = (tarfile.REGTYPE, tarfile.AREGTYPE)
_MEMBER = re.compile(r"([0-9a-f]{2})/(\1[0-9a-f]+)\.(entry|index)")


class CacheArchiveError(FlyDSLError):
    """A file that is no archive of a cache, or cannot be read or written."""


@dataclass(slots=True)
class Imported:
    """What became of an archive's members: how many were new, how many were there, and why others were refused."""

    added: int = 0
    present: int = 0
    refused: list[tuple[str, str]] = field(default_factory=list)


def checked(name: str, data: bytes) -> Entry:
    """The entry or index record in a file of the store; raises `BadEntryError` unless every byte and the name fit."""
    entry = decode(data)
    if digest(entry.key) != name.partition(".")[0]:
        raise BadEntryError("it states another key than its name does")
    if name.endswith(".index") != ("leads_to" in entry.header):
        raise BadEntryError("its name ends as that of another kind of file")
    return entry


def verify(store: Store) -> Iterator[tuple[str, str]]:
    """The name of each file of the store that is not as it was written, and what is wrong with it."""
    for file in store.kept():
        try:
            checked(file.name, store.read_file(file))
        except FileNotFoundError:
            continue  # evicted meanwhile
        except (BadEntryError, UntrustedFileError, OSError) as error:
            yield file.name, str(error)


def export_archive(store: Store, file: Path, wanted: frozenset[str] | None = None) -> tuple[int, int]:
    """Write all entries, or those of the digests `wanted`, with the index records that lead to them.

    Returns how many entries were written, and the bytes of the archive. The file appears whole or not at all, in the
    place of a regular file only; CacheArchiveError otherwise.
    """
    _check_replaceable(file)
    temporary = file.with_name(f".{file.name}.{os.getpid()}.{os.urandom(6).hex()}.tmp")
    count = 0
    try:
        with (
            temporary.open("xb") as raw,
            gzip.GzipFile("", "wb", mtime=0, fileobj=raw) as packed,
            tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive,
        ):
            for name, data, entry in sorted(_contents(store, wanted), key=lambda item: item[0]):
                member = tarfile.TarInfo(f"{name[:2]}/{name}")
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))
                count += "leads_to" not in entry.header
        _check_replaceable(file)
        temporary.replace(file)
        return count, file.stat().st_size
    except OSError as error:
        raise CacheArchiveError(f"cannot write {str(file)!r}: {error.strerror}") from None
    finally:
        with suppress(OSError):
            temporary.unlink()


def _check_replaceable(file: Path) -> None:
    """CacheArchiveError when a file of this name is there that is no regular one: to replace it would destroy it."""
    try:
        status = os.lstat(file)
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise CacheArchiveError(f"cannot write {str(file)!r}: {error}") from None
    if not stat.S_ISREG(status.st_mode):
        kind = "a symbolic link" if stat.S_ISLNK(status.st_mode) else "no regular file"
        raise CacheArchiveError(f"cannot write {str(file)!r}: it is {kind}; name a new file, or one to replace")


def import_archive(store: Store, file: Path) -> Imported:
    """Take in what an archive holds and the store lacks."""
    result = Imported()
    known = {kept.name for kept in store.kept()}
    try:
        with open_regular(file) as raw, gzip.open(raw) as packed:
            for member, data in _members(packed):
                _take(store, member, data, known, result)
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, ValueError) as error:
        raise CacheArchiveError(f"{str(file)!r} is no whole archive of `flydsl cache export`: {error}") from None
    except OSError as error:
        raise CacheArchiveError(f"cannot read {str(file)!r}: {error.strerror or error}") from None
    return result


def _members(packed: BinaryIO | gzip.GzipFile) -> Iterator[tuple[tarfile.TarInfo, bytes | None]]:
    """The members of an archive with their content, None for what is no file of a usual size.

    Headers are read one by one: extended ones, of which an archive of ours has none, are members like others, so that
    whatever they claim or however many are stacked is nothing to follow.
    """
    while True:
        block = packed.read(_BLOCK)
        if len(block) == _BLOCK and not any(block):  # the end
            return
        member = tarfile.TarInfo.frombuf(block, "utf-8", "backslashreplace")
        if member.size < 0:
            raise tarfile.ReadError("a member has a negative size")
        is_taken = member.type in _REGULAR and _MEMBER.fullmatch(member.name) and member.size <= LARGEST
        data = packed.read(member.size) if is_taken else None
        rest = -member.size % _BLOCK + (member.size if data is None else 0)
        if data is not None and len(data) < member.size:
            raise EOFError("a member is cut short")
        yield member, data
        _skip(packed, rest)


def _skip(packed: BinaryIO | gzip.GzipFile, count: int) -> None:
    while count > 0:
        step = len(packed.read(min(count, 1 << 20)))
        if step == 0:
            raise EOFError("a member is cut short")
        count -= step


def _take(store: Store, member: tarfile.TarInfo, data: bytes | None, known: set[str], result: Imported) -> None:
    if data is None:
        result.refused.append((member.name, f"no file of a cache of at most {LARGEST >> 20} MiB"))
        return
    name = member.name.partition("/")[2]
    try:
        checked(name, data)
    except BadEntryError as error:
        result.refused.append((name, str(error)))
        return
    if name in known:
        result.present += 1
    elif store.write_file(name, data):
        result.added += 1
        known.add(name)
    else:
        result.refused.append((name, store.reason or "the folder of the cache does not take it"))


def _contents(store: Store, wanted: frozenset[str] | None) -> Iterator[tuple[str, bytes, Entry]]:
    """Name, bytes and entry of the files to export; what is damaged stays behind."""
    for file in store.kept():
        try:
            data = store.read_file(file)
            entry = checked(file.name, data)
        except (BadEntryError, UntrustedFileError, OSError):
            continue
        target = entry.header.get("leads_to")
        leads_to = digest({name: str(value) for name, value in target.items()}) if isinstance(target, dict) else ""
        if wanted is None or (leads_to or file.name.partition(".")[0]) in wanted:
            yield file.name, data, entry
