"""Every public name of the table resolves and is what the table says; what differs is listed here with its reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.stable_api import Entry, problems, read_entries

TABLE = read_entries(Path(__file__).parents[1] / "data/stable_api.tsv")

_STRUCT = "a function, so that type checkers see the class it decorates; fx.Struct and fx.Union are its classes"
_BACKEND = "the boundary of this project: a backend gives architectures, pipelines and code objects, see plugin_api.md"
# start of a problem -> why it stays
DEVIATIONS: dict[str, dict[str, str]] = {
    "flydsl.expr.struct.struct": {"kind": _STRUCT},
    "flydsl.expr.struct.union": {"kind": _STRUCT},
    "flydsl.expr.gpu.barrier": {"signature": "what it could pass on are address spaces to fence; it fences all"},
    "flydsl.expr.numeric.Numeric": {
        "member is_static": "a property beside that of layouts, and its value may be called: x.is_static() works"
    },
    "flydsl.compiler.BaseBackend": {"member": _BACKEND},
    "flydsl.compiler.register_backend": {"signature": "takes a factory, of which a class is one, and manifest fields"},
    "flydsl.compiler.CompiledFunction": {"signature": "made by flyc.compile only"},
}


def unexplained(entry: Entry) -> list[str]:
    reasons = DEVIATIONS.get(entry.name, {})
    return [problem for problem in problems(entry) if not any(problem.startswith(known) for known in reasons)]


def test_the_table_is_whole():
    assert len(TABLE) == 426
    assert len({entry.name for entry in TABLE}) == 426


@pytest.mark.parametrize("entry", TABLE, ids=str)
def test_name_is_what_the_table_says(entry):
    assert unexplained(entry) == []


@pytest.mark.parametrize("name", sorted(DEVIATIONS))
def test_every_deviation_is_needed(name):
    (entry,) = [entry for entry in TABLE if entry.name == name]
    found = problems(entry)
    for start in DEVIATIONS[name]:
        assert any(problem.startswith(start) for problem in found), f"{start!r} is no problem any more"
