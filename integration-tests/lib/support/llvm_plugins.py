"""The plugin of `llvm_passes`, built when its source or the SDK changed, and copies that differ in one constant."""

from __future__ import annotations

import fcntl
from pathlib import Path

from flydsl_mlir import sdk

_SOURCE = Path(__file__).parent / "llvm_passes/test_passes.cpp"
FOLDER = Path(__file__).resolve().parents[3] / "build/test-plugins"
"""Kept between runs."""
_SLED = b"SLED=%02d"


def passes() -> Path:
    """The plugin with all passes; processes that need it at once build it once."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return sdk.build(_SOURCE, output=FOLDER / "test_passes.so")


def passes_with_sled(length: int, folder: Path) -> Path:
    """A plugin whose pass `nop-sled`, of the same name, inserts `length` instructions."""
    content = passes().read_bytes()
    assert content.count(_SLED % 3) == 1
    plugin = folder / f"sled_{length}.so"
    plugin.write_bytes(content.replace(_SLED % 3, _SLED % length))
    return plugin
