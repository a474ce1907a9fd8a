"""Configurations on disk: one JSON file a tuned function, which appears whole and is never executed."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from flydsl.autotune.config import Config
from flydsl.base.errors import ArgumentError
from flydsl.base.files.bounded_file import read_bounded

Key = tuple[str, ...]
LARGEST = 16 << 20
"""Bytes of a file that is read: some ten thousand configurations."""


class Kept(NamedTuple):
    """The fastest of some candidates, of which `candidates` is a digest."""

    config: Config
    candidates: str


def read_configs(file: Path) -> tuple[dict[Key, Kept], str]:
    """The configurations in a file by key, those that can be read, and why others, or all, are not used."""
    data, why = _read(file)
    found: dict[Key, Kept] = {}
    for text, entry in data.items():
        with suppress(ValueError, ArgumentError, TypeError, LookupError, RecursionError):
            found[_key(text)] = _kept(entry)
    if len(found) < len(data):
        why = f"{len(data) - len(found)} of its {len(data)} entries are no configurations"
    return found, why


def write_configs(file: Path, configs: Mapping[Key, Kept]) -> None:
    """Put configurations into a file, beside those of other keys, which another process may have written.

    OSError as the system raises it; TypeError or ValueError for a value that JSON cannot hold.
    """
    entries = {
        json.dumps(list(key)): {"config": kept.config.to_dict(), "candidates": kept.candidates}
        for key, kept in configs.items()
    }
    there, _ = _read(file)
    text = json.dumps({**there, **entries}, indent=1, allow_nan=False)
    write_whole(file, f"{text}\n")


def write_whole(file: Path, text: str) -> None:
    """Make or replace a file, and its folder; who reads it sees the old text or the new one, never a part."""
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f".{file.name}.{os.getpid()}.{os.urandom(6).hex()}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8")
        os.replace(temporary, file)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _read(file: Path) -> tuple[dict[str, object], str]:
    """The JSON object in a file; empty when there is none, with the reason when there is something else."""
    try:
        data = json.loads(read_bounded(file, LARGEST))
    except FileNotFoundError:
        return {}, ""
    except (OSError, ValueError, RecursionError) as error:
        return {}, str(error)
    return (data, "") if isinstance(data, dict) else ({}, "it holds no JSON object")


def _key(text: str) -> Key:
    parts = json.loads(text)
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        raise ValueError(text)
    return tuple(parts)


def _kept(entry: object) -> Kept:
    if not isinstance(entry, dict) or not isinstance(entry["candidates"], str):
        raise ValueError(f"no configuration: {entry!r}")
    return Kept(Config.from_dict(entry["config"]), entry["candidates"])
