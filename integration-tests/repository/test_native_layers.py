"""The rooms of the simulator's engine: each includes only what lies below it, and nothing of HIP."""

from __future__ import annotations

import re
from pathlib import Path

NATIVE = Path(__file__).resolve().parents[2] / "packages/flydsl-hipsim/src/native"
# Scalar and vector instructions share their operands.
LAYERS = (("core",), ("scalar", "vector"), ("memory", "matrix", "check"), ("run",))
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
INCLUDE = re.compile(r'^#include "(?:engine/)?(\w+)/', re.MULTILINE)


def test_every_room_has_a_rank() -> None:
    assert {path.name for path in (NATIVE / "engine").iterdir()} == set(RANK)


def test_rooms_include_what_lies_below_them() -> None:
    upwards = [
        f"{path.relative_to(NATIVE)} includes {room}/"
        for path in sorted((NATIVE / "engine").rglob("*.*"))
        for room in INCLUDE.findall(path.read_text())
        if room != "include"
        and room != (own := path.parent.name)
        and (room not in RANK or RANK[room] > RANK[own] or (RANK[room] == RANK[own] and own not in LAYERS[1]))
    ]
    assert upwards == []
