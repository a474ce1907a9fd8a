"""The table of versions in the reference: a row for each version that was tried."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Self

HEADER = (
    "| dependency | version | tried on | imported | tests | examples | random programs | failures |",
    "|---|---|---|---|---|---|---|---:|",
)


class Row(NamedTuple):
    """A version and what it did on a day."""

    dependency: str
    version: str
    day: str
    imported: str
    tests: str
    examples: str
    programs: str
    failures: int

    def text(self) -> str:
        """The line of the table."""
        return "| " + " | ".join(str(cell) for cell in self) + " |"

    @classmethod
    def of(cls, line: str) -> Self | None:
        """The row that a line of a page is; None for any other line."""
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line in HEADER or not line.startswith("|") or len(cells) != len(cls._fields):
            return None
        return cls(*cells[:-1], failures=int(cells[-1]))

    @property
    def order(self) -> tuple[str, tuple[int, ...]]:
        """Where the row stands: by name, then by version."""
        return self.dependency, tuple(int(part) for part in self.version.split("."))


def rows_of(page: str) -> list[Row]:
    """The rows of a page."""
    return [row for line in page.splitlines() if (row := Row.of(line))]


def merged(page: str, rows: Iterable[Row]) -> str:
    """The page with these rows in the place of older ones of the same versions; an empty page gets the table."""
    known = {(row.dependency, row.version): row for row in [*rows_of(page), *rows]}
    table = [*HEADER, *(row.text() for row in sorted(known.values(), key=lambda row: row.order))]
    lines = [line for line in page.splitlines() if Row.of(line) is None and line != HEADER[1]]
    place = lines.index(HEADER[0]) if HEADER[0] in lines else len(lines)
    return "\n".join([*lines[:place], *table, *lines[place + 1 :]]) + "\n"
