"""The table of what differs between versions of the language, `differences.tsv`, one row a name or a meaning.

Columns: the name; its kind; the first version that has it; the last one, empty where the newest has it; whether it is
here; and what there is here, or what to write instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

VERSIONS = ("0.2", "0.3", "0.4", "0.5")
KINDS = ("name", "private", "call", "meaning")


@dataclass(frozen=True, slots=True)
class Difference:
    """A name (public, or private and in use), a form of a call, or a meaning that some versions have."""

    name: str
    kind: str
    since: str
    until: str
    here: str
    """yes, no, or refused: a name that is found, and an error when it is used."""
    note: str

    @property
    def is_here(self) -> bool:
        """Whether the name is found."""
        return self.here != "no"

    @property
    def works(self) -> bool:
        """Whether it does what it does in other versions."""
        return self.here == "yes"

    def is_in(self, version: str) -> bool:
        """Whether a version has it."""
        return self.since <= version and (not self.until or version <= self.until)

    @property
    def versions(self) -> str:
        """The versions that have it, as text."""
        last = self.until or VERSIONS[-1]
        return self.since if self.since == last else f"{self.since} to {last}"


def _read() -> tuple[Difference, ...]:
    rows = (Path(__file__).with_name("differences.tsv")).read_text(encoding="utf-8").splitlines()[1:]
    cells = (row.split("\t") for row in rows)
    return tuple(Difference(*row) for row in cells)


DIFFERENCES = _read()


@cache
def difference(name: str) -> Difference | None:
    """The row of a name; None when versions do not differ in it."""
    return next((row for row in DIFFERENCES if row.name == name), None)
