"""Long runs of the nightly table: their command line, and the line of JSON in which each tells what it saw."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass, field
from typing import Self


@dataclass(frozen=True, slots=True)
class Outcome:
    """A row of the table: `failed` of `tried` things went wrong, the first few as text; `figures` are for people."""

    what: str
    tried: int
    failed: int
    figures: dict[str, float | str] = field(default_factory=dict)
    failures: tuple[str, ...] = ()

    def print(self) -> None:
        """Write the line that `scripts/nightly.py` reads, flushed: the process may be killed later."""
        print(json.dumps(asdict(self)), flush=True)

    @classmethod
    def parse(cls, line: str) -> Self | None:
        """The outcome that a line of output states, None for any other line."""
        try:
            stated = json.loads(line)
            return cls(**{**stated, "failures": tuple(stated["failures"])})
        except (ValueError, TypeError, KeyError):
            return None


def long_run(doc: str | None, count: int) -> argparse.Namespace:
    """The options `--count` and `--seed` of a run that tries `count` things, times `--scale`."""
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("--count", type=int, help=f"how many to try, not {count:,}")
    parser.add_argument("--scale", type=float, default=1.0, help="try so many times as many")
    parser.add_argument("--seed", type=int, default=0, help="start of the random numbers")
    options = parser.parse_args()
    if options.count is None:
        options.count = max(1, round(count * options.scale))
    return options
