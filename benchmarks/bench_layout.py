"""Prints microseconds a layout operation, anew and remembered, beside its budget; `--json FILE` writes the rows too."""

from __future__ import annotations

import argparse
import json
import timeit
from collections.abc import Callable
from pathlib import Path

import flydsl.layout as fl

A = fl.parse_layout("((4,2),8):((1,32),4)")
B = fl.parse_layout("(4,2):(1,16)")
MATRIX = fl.parse_layout("(128,256):(256,1)")
TILE = fl.parse_tile("[8|64]")
SMALL = fl.parse_layout("(4,2):(1,8)")

# name, operation, arguments, budget in us (None: no budget)
CASES: list[tuple[str, Callable[..., object], tuple[object, ...], float | None]] = [
    ("coalesce", fl.coalesce, (A,), 3.8),
    ("complement", fl.complement, (B, 64), 6.0),
    ("composition", fl.composition, (A, fl.parse("(4,4):(2,8)")), 14.0),
    ("logical_divide", fl.logical_divide, (A, SMALL), 32.0),
    ("logical_divide by tile", fl.logical_divide, (MATRIX, TILE), 32.0),
    ("zipped_divide by tile", fl.zipped_divide, (MATRIX, TILE), None),
    ("logical_product", fl.logical_product, (B, fl.parse("(2,2):(1,2)")), None),
    ("right_inverse", fl.right_inverse, (A,), None),
    ("left_inverse", fl.left_inverse, (A,), None),
    ("recast_layout", fl.recast_layout, (A, 16, 32), None),
]


def microseconds(function: Callable[[], object], number: int = 5000) -> float:
    """The best of seven runs, a call."""
    function()
    return min(timeit.repeat(function, number=number, repeat=7)) / number * 1e6


def measure() -> list[dict[str, object]]:
    """One row an operation."""
    rows: list[dict[str, object]] = [{"name": "layout(i)", "us": microseconds(lambda: A(37)), "budget": 2.4}]
    rows.append({"name": "layout(i, j)", "us": microseconds(lambda: A(3, 5)), "budget": None})
    for name, operation, arguments, budget in CASES:
        anew = operation.__wrapped__  # type: ignore[attr-defined]
        row = {"name": name, "us": microseconds(lambda f=anew, a=arguments: f(*a)), "budget": budget}
        row["remembered"] = microseconds(lambda f=operation, a=arguments: f(*a))
        rows.append(row)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="also write the rows here")
    options = parser.parse_args()
    rows = measure()
    print(f"{'operation':26}{'us':>8}{'budget':>8}{'remembered':>12}")
    for row in rows:
        budget, remembered = row["budget"] or "", row.get("remembered")
        print(f"{row['name']:26}{row['us']:8.2f}{budget!s:>8}{f'{remembered:.2f}' if remembered else '':>12}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
