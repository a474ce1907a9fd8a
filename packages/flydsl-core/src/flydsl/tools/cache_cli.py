"""`flydsl cache list|why|clear|path|verify|export|import`: the contents of the compile cache."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from flydsl.cache.archive import CacheArchiveError, export_archive, import_archive, verify
from flydsl.cache.key import digest
from flydsl.cache.store import Store, Stored, default_store
from flydsl.cache.taken import distrust
from flydsl.plugins.code.manifest_text import reasons_of

_DIGITS = 12
_LONGEST = 200


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is 0, or 1 when there is nothing to answer."""
    arguments = _parser().parse_args(argv)
    store = default_store()
    if not store.is_enabled:
        print(f"the cache is off: {store.reason}", file=sys.stderr)
    code: int = arguments.run(store, arguments)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="flydsl cache", description="contents of the compile cache")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    listing = commands.add_parser("list", help="all entries, last used first")
    listing.add_argument("--json", action="store_true", help="one JSON object a line, with the full keys")
    listing.set_defaults(run=_list)
    why = commands.add_parser("why", help="why an entry is there besides a similar one: what differs in their keys")
    why.add_argument("entry", help="the beginning of a digest, or a function's name")
    why.set_defaults(run=_why)
    commands.add_parser("clear", help="remove all entries").set_defaults(run=_clear)
    commands.add_parser("path", help="the folder").set_defaults(run=_path)
    commands.add_parser("verify", help="read every file and check every byte").set_defaults(run=_verify)
    export = commands.add_parser("export", help="write entries, with what leads to them, to an archive")
    export.add_argument("file", type=Path)
    export.add_argument("entry", nargs="*", help="the beginning of a digest, or a function's name (default: all)")
    export.set_defaults(run=_export)
    taken = commands.add_parser("import", help="take in what an archive holds, after verifying it")
    taken.add_argument("file", type=Path)
    taken.set_defaults(run=_import)
    return parser


def _list(store: Store, arguments: argparse.Namespace) -> int:
    entries = _entries(store)
    if arguments.json:
        for item in entries:
            print(
                json.dumps({"digest": item.digest, "name": _name(item), "size": item.size, "key": dict(item.entry.key)})
            )
        return 0
    rows = [
        (
            i.digest[:_DIGITS],
            _name(i),
            _printable(i.entry.backend),
            _printable(i.entry.target),
            _size(i.size),
            _moment(i.used),
        )
        for i in entries
    ]
    _table([("digest", "function", "backend", "target", "size", "last used"), *rows])
    print(f"{len(rows)} entries, {_size(store.size())} of {_size(store.limit)}")
    return 0


def _why(store: Store, arguments: argparse.Namespace) -> int:
    entries = _entries(store)
    index = _index(store)
    wanted = _named(entries, arguments.entry)
    if not wanted:
        return 1
    for item in wanted:
        others = [other for other in entries if _name(other) == _name(item) and other is not item]
        print(f"{item.digest[:_DIGITS]} {_name(item)}")
        for name, reason in _only_reasons(item):
            print(f"  of the process that made it only, no other finds it: {name}: {reason}")
        if refused := distrust(item.entry, store.key_name):
            print(f"  not used: {refused}")
        if not others:
            print("  the only entry of that name")
            continue
        mine = _fields(item, index)
        nearest = min(others, key=lambda other: len(list(_differences(mine, _fields(other, index)))))
        print(f"  differs from {nearest.digest[:_DIGITS]} in")
        for line in _differences(mine, _fields(nearest, index)):
            print(f"    {line}")
    return 0


def _clear(store: Store, arguments: argparse.Namespace) -> int:
    count, size = store.clear()
    print(f"removed {count} files, {_size(size)}")
    return 0


def _path(store: Store, arguments: argparse.Namespace) -> int:
    if store.path is None:
        return 1
    print(store.path)
    return 0


def _verify(store: Store, arguments: argparse.Namespace) -> int:
    bad = list(verify(store))
    for name, reason in bad:
        print(f"{_printable(name)}: {_printable(reason)}")
    print(f"{len(store.kept())} files, {len(bad)} not as they were written")
    return int(bool(bad))


def _export(store: Store, arguments: argparse.Namespace) -> int:
    wanted: set[str] = set()
    for name in arguments.entry:
        found = _named(_entries(store), name)
        if not found:
            return 1
        wanted |= {item.digest for item in found}
    try:
        count, size = export_archive(store, arguments.file, frozenset(wanted) if arguments.entry else None)
    except CacheArchiveError as error:
        print(f"flydsl cache: {error}", file=sys.stderr)
        return 1
    print(f"{count} entries, {_size(size)}")
    return 0


def _import(store: Store, arguments: argparse.Namespace) -> int:
    try:
        result = import_archive(store, arguments.file)
    except CacheArchiveError as error:
        print(f"flydsl cache: {error}", file=sys.stderr)
        return 1
    for name, reason in result.refused:
        print(f"refused {_printable(name)}: {_printable(reason)}", file=sys.stderr)
    print(f"{result.added} files added, {result.present} were there, {len(result.refused)} refused")
    return int(bool(result.refused))


def _named(entries: Sequence[Stored], name: str) -> list[Stored]:
    """The entries of a name or the beginning of a digest; says so when there are none."""
    found = [item for item in entries if item.digest.startswith(name) or _name(item) == name]
    if not found:
        print(f"no entry has a digest or a name {name!r}; see `flydsl cache list`", file=sys.stderr)
    return found


def _entries(store: Store) -> list[Stored]:
    return [item for item in store.stored() if item.kind == "entry"]


def _index(store: Store) -> dict[str, Mapping[str, str]]:
    """For each digest of an entry, the key of an index record that leads to it."""
    keys: dict[str, Mapping[str, str]] = {}
    for item in store.stored():
        target = item.entry.header.get("leads_to")
        if item.kind == "index" and isinstance(target, dict):
            keys.setdefault(digest({name: str(value) for name, value in target.items()}), item.entry.key)
    return keys


def _fields(item: Stored, index: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """The key of an entry, with what led to it: sources and signature say more than the digest of the IR.

    So do the parts of the fingerprint of its pair.
    """
    return {**index.get(item.digest, {}), **item.entry.key, **_pair_of(item)}


def _pair_of(item: Stored) -> dict[str, str]:
    parts = item.entry.header.get("pair")
    return {f"pair.{name}": str(value) for name, value in parts.items()} if isinstance(parts, dict) else {}


def _only_reasons(item: Stored) -> Iterator[tuple[str, str]]:
    """What of an entry's pair no other process can have, and why."""
    for name, value in _pair_of(item).items():
        yield from ((name, reason) for reason in reasons_of(value))


def _differences(one: Mapping[str, str], other: Mapping[str, str]) -> Iterator[str]:
    for name in sorted(one.keys() | other.keys()):
        if one.get(name) != other.get(name):
            yield f"{_printable(name)}: {_short(one.get(name))} here, {_short(other.get(name))} there"


def _short(value: str | None) -> str:
    if value is None:
        return "nothing"
    return repr(value) if len(value) <= 60 else repr(f"{value[:_DIGITS]}...")


def _name(item: Stored) -> str:
    return _printable(str(item.entry.header.get("name", "")))


def _printable(text: str) -> str:
    """Text of a file that anybody may have made, for a terminal: without its control codes, and not endless."""
    short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in short)


def _size(count: int) -> str:
    value, unit = float(count), "B"
    for larger in ("KiB", "MiB", "GiB"):
        if value < 1024:
            break
        value, unit = value / 1024, larger
    return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"


def _moment(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def _table(rows: Sequence[Sequence[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
