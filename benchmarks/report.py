"""Rows of a benchmark in, a table on standard output and, when asked for, a JSON file out."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

__all__ = ["Row", "main_options", "report"]


@dataclass(frozen=True, slots=True)
class Row:
    """One measured quantity: value in `unit`, and its budget, None when there is none."""

    name: str
    value: float
    unit: str
    budget: float | None = None

    @property
    def ratio(self) -> str:
        """Value over budget, for people."""
        return "" if self.budget is None else f"{self.value / self.budget:.2f}x"


def main_options(doc: str | None) -> argparse.Namespace:
    """The command line that all benchmarks share."""
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("--json", type=Path, help="file to write the rows to")
    return parser.parse_args()


def report(title: str, rows: Sequence[Row], options: argparse.Namespace) -> None:
    """Print `rows`, and write them to `--json`."""
    width = max(len(row.name) for row in rows)
    print(f"{title}\n{'':{width}}  {'value':>10}  {'budget':>10}  ratio")
    for row in rows:
        budget = "" if row.budget is None else f"{row.budget:g} {row.unit}"
        print(f"{row.name:{width}}  {f'{row.value:.2f} {row.unit}':>10}  {budget:>10}  {row.ratio}")
    if options.json is not None:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1))
