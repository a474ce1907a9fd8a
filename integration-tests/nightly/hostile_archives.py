"""Archives of a cache, changed at random or built to harm: refused by name, and the cache stays what it was."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1] / "lib"))

from support.hostile_archives import ENDING, KINDS, entry_of, mutated
from support.long_run import Outcome, long_run

from flydsl.cache.store import Store
from flydsl.tools import cache_cli

WHAT = "hostile archives of a cache"
MINE = 77
"""The number of the entry that is in the cache before."""


def run(count: int, seed: int) -> Outcome:
    """Import `count` archives, each into a cache of its own with one entry."""
    failures: list[str] = []
    before = os.environ.get("FLYDSL_RUNTIME_CACHE_DIR")
    try:
        for number in range(count):
            with TemporaryDirectory() as folder:
                what, data = mutated(seed * 1_000_003 + number)
                if wrong := _wrong(Path(folder), data, is_whole=what in KINDS and what not in ENDING):
                    failures.append(f"archive {number} of seed {seed}, {what}: {wrong}")
    finally:
        os.environ.pop("FLYDSL_RUNTIME_CACHE_DIR", None)
        if before is not None:
            os.environ["FLYDSL_RUNTIME_CACHE_DIR"] = before
    return Outcome(WHAT, count, len(failures), {}, tuple(failures[:5]))


def _wrong(folder: Path, data: bytes, *, is_whole: bool) -> str:
    """What is wrong after the import of an archive; nothing when all is well. What is good in a whole one is taken."""
    os.environ["FLYDSL_RUNTIME_CACHE_DIR"] = str(folder / "cache")
    store, mine = Store(folder / "cache"), entry_of(MINE)
    store.save(mine)
    archive = folder / "archive"
    archive.write_bytes(data)
    commands = [["import", str(archive)], ["list"], ["list", "--json"], ["verify"], ["export", str(folder / "out")]]
    for command in commands:
        try:
            code, text = _answer(command)
        except BaseException as error:
            return f"{command[0]}: {type(error).__name__}: {error}"
        if code and command[0] != "import":
            return f"{command[0]} ends with {code}: {text}"
        if any(not letter.isprintable() for letter in text.replace("\n", "")):
            return f"{command[0]} prints {text!r}"
    if store.load(mine.key) != mine:
        return "what was in the cache is lost"
    if is_whole and any(store.load(entry_of(number).key) != entry_of(number) for number in range(3)):
        return "a good member is refused"
    outside = sorted(path.name for path in folder.iterdir())
    return "" if outside == ["archive", "cache", "out"] else f"there are {outside}"


def _answer(command: list[str]) -> tuple[int, str]:
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        code = cache_cli.main(command)
    return code, text.getvalue()


if __name__ == "__main__":
    chosen = long_run(__doc__, 5_000)
    run(chosen.count, chosen.seed).print()
