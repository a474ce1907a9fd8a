"""Kernels without each promise to LLVM and ptxas: what they compute equals what they compute with it."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "lib"))

from support.long_run import Outcome, long_run
from support.promises.session import session, uncarried

WHAT = "promises to LLVM"
SECONDS_EACH = 2.0
"""Of a kernel on one target, with and without its promises."""


def run(count: int, seed: int) -> Outcome:
    """About `count` kernels in all."""
    rows = list(session(count * SECONDS_EACH, seed))
    failures = [f"without {row.promise!r} on {row.target}: {text}" for row in rows for text in row.differences]
    figures: dict[str, float | str] = {"carried by none": ", ".join(uncarried(rows)) or "nothing"}
    return Outcome(WHAT, sum(row.carried for row in rows), len(failures), figures, tuple(failures[:5]))


if __name__ == "__main__":
    chosen = long_run(__doc__, 1000)
    run(chosen.count, chosen.seed).print()
