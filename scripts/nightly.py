"""The long runs in `integration-tests/nightly`, one after the other, and one table of what they saw.

A run is a script that takes `--scale` and `--seed` and prints lines of JSON, one a row of the table
(`support/long_run.py`). Whatever ends without a row, in time or not, is a row that failed. Names of scripts choose
some of the runs; the exit status is 1 when anything failed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration-tests/lib"))

from support.long_run import Outcome

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "integration-tests/nightly"


def scripts() -> dict[str, Path]:
    """The runs by name: what is not a test, nor a helper of one."""
    return {path.stem: path for path in sorted(FOLDER.glob("*.py")) if not path.stem.startswith(("test_", "_", "conf"))}


def run(script: Path, options: argparse.Namespace) -> list[tuple[Outcome, float]]:
    """The rows of one run with the seconds that each took; its own messages go to standard error."""
    command = [sys.executable, str(script), "--scale", str(options.scale), "--seed", str(options.seed)]
    rows: list[tuple[Outcome, float]] = []
    before = time.monotonic()
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if outcome := Outcome.parse(line):
                now = time.monotonic()
                rows.append((outcome, now - before))
                before = now
                print(f"{outcome.what}: {outcome.failed} of {outcome.tried:,} failed", file=sys.stderr, flush=True)
            else:
                sys.stderr.write(line)
    if not rows or (process.returncode != 0 and not any(outcome.failed for outcome, _ in rows)):
        ended = Outcome(script.stem, 1, 1, failures=(f"ended with status {process.returncode}",))
        rows.append((ended, time.monotonic() - before))
    return rows


def table(rows: list[tuple[Outcome, float]]) -> str:
    """The rows as a Markdown table, and below it what failed."""
    lines = ["| what | tried | failed | minutes | figures |", "|---|---:|---:|---:|---|"]
    for outcome, seconds in rows:
        figures = ", ".join(f"{name} {value}" for name, value in outcome.figures.items())
        lines.append(f"| {outcome.what} | {outcome.tried:,} | {outcome.failed} | {seconds / 60:.1f} | {figures} |")
    for outcome, _ in rows:
        lines += [f"\n{outcome.what}: {text}" for text in outcome.failures]
    return "\n".join(lines)


def main() -> int:
    known = scripts()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="run", help=f"runs, all without any: {', '.join(known)}")
    parser.add_argument("--scale", type=float, default=1.0, help="try so many times as many as a night has time for")
    parser.add_argument("--seed", type=int, default=0, help="start of the random numbers")
    options = parser.parse_args()
    if unknown := set(options.names) - set(known):
        parser.error(f"no run is called {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    rows = [row for name in options.names or known for row in run(known[name], options)]
    print(table(rows))
    return int(any(outcome.failed for outcome, _ in rows))


if __name__ == "__main__":
    sys.exit(main())
