"""What benchmarks measure, beside their tables: recorded, and written to a file that is asked for."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

__all__ = ["OWN", "RECORDED", "Figure", "read", "record", "write"]

OWN = "FlyDSL"


@dataclass(frozen=True)
class Figure:
    """A kernel at a size: in `unit`, `OWN` and others that were measured in turns with it."""

    kernel: str
    case: str
    unit: str
    values: dict[str, float]


RECORDED: list[Figure] = []
"""By this process, in the order of measurement."""


def record(kernel: str, case: str, unit: str, values: Mapping[str, float]) -> None:
    """Keep what was measured; `values` by who was."""
    RECORDED.append(Figure(kernel, case, unit, dict(values)))


def write(path: Path, figures: Sequence[Figure]) -> None:
    """As JSON, for `read`."""
    path.write_text(json.dumps([asdict(figure) for figure in figures], indent=1))


def read(path: Path) -> list[Figure]:
    """What `write` wrote."""
    return [Figure(**found) for found in json.loads(path.read_text())]
