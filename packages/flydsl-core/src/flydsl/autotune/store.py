"""Configurations on disk: one JSON file a tuned function, which appears whole and is never executed."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from flydsl.autotune.config import Config
from flydsl.base.errors import ArgumentError

Key = tuple[str, ...]


def read_configs(file: Path) -> dict[Key, Config]:
    """The configurations in a file by key: those that can be read, and none of a file that cannot."""
    configs: dict[Key, Config] = {}
    for text, data in _read(file).items():
        with suppress(ValueError, ArgumentError):
            configs[_key(text)] = Config.from_dict(data)  # type: ignore[arg-type]
    return configs


def write_configs(file: Path, configs: Mapping[Key, Config]) -> None:
    """Put configurations into a file, beside those of other keys, which another process may have written.

    OSError as the system raises it; TypeError or ValueError for a value that JSON cannot hold.
    """
    entries = {json.dumps(list(key)): config.to_dict() for key, config in configs.items()}
    text = json.dumps({**_read(file), **entries}, indent=1, allow_nan=False)
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


def _read(file: Path) -> dict[str, object]:
    """The JSON object in a file; empty when it is none."""
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _key(text: str) -> Key:
    parts = json.loads(text)
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        raise ValueError(text)
    return tuple(parts)
