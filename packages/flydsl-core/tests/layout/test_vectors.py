"""The recorded answers of upstream's compiler: same result, and an error where its process dies."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest
from layout_postconditions import POSTCONDITIONS

import flydsl.layout as fl
from flydsl.base.errors import LayoutError
from flydsl.layout.int_tuple import text

DATA = Path(__file__).parent.parent / "data" / "layout_vectors.jsonl"
VECTORS = [json.loads(line) for line in DATA.read_text().splitlines()]
# Worked by hand, or examples that every text on this algebra gives: two for each operation.
TEXTBOOK = [json.loads(line) for line in (DATA.parent / "textbook_vectors.jsonl").read_text().splitlines()]


def key(vector: dict) -> tuple[str, ...]:
    return (vector["op"], *vector["args"])


def broken(vector: dict) -> bool:
    """The recorded answer breaks the definition of the operation."""
    holds = POSTCONDITIONS.get(vector["op"])
    return (
        vector["status"] == "ok"
        and holds is not None
        and not holds(*map(fl.parse, [vector["result"], *vector["args"]]))
    )


# Recorded answers that are wrong. Ours raises, or gives one that keeps the definition.
WRONG = {key(vector) for vector in VECTORS if broken(vector)}


def run(vector: dict) -> str:
    args = [fl.parse(arg) for arg in vector["args"]]
    if vector["op"] in ("crd2idx", "idx2crd"):
        args.reverse()
    found = getattr(fl, vector["op"])(*args)
    return text(found) if isinstance(found, (int, tuple)) else str(found)


@pytest.mark.parametrize("op", sorted({vector["op"] for vector in VECTORS}))
def test_recorded_answers_are_reproduced(op: str) -> None:
    cases = [v for v in VECTORS if v["op"] == op and v["status"] == "ok" and key(v) not in WRONG]
    assert cases
    assert [run(vector) for vector in cases] == [vector["result"] for vector in cases]


@pytest.mark.parametrize("vector", TEXTBOOK, ids=str)
def test_textbook_answers_are_reproduced(vector: dict) -> None:
    assert run(vector) == vector["result"]


def test_every_recorded_operation_has_two_textbook_answers() -> None:
    for op in {vector["op"] for vector in VECTORS}:
        assert sum(vector["op"] == op for vector in TEXTBOOK) >= 2, op


@pytest.mark.parametrize("vector", [v for v in VECTORS if v["status"] == "abort"], ids=str)
def test_where_upstream_dies_an_error_names_the_operation(vector: dict) -> None:
    with pytest.raises(LayoutError) as caught:
        run(vector)
    assert caught.value.op
    assert caught.value.operands
    assert caught.value.condition


@pytest.mark.parametrize("vector", [v for v in VECTORS if key(v) in WRONG], ids=str)
def test_where_the_recorded_answer_is_wrong_ours_is_right_or_an_error(vector: dict) -> None:
    found = None
    with suppress(LayoutError):
        found = fl.parse(run(vector))
    assert found is None or POSTCONDITIONS[vector["op"]](found, *map(fl.parse, vector["args"]))


def test_the_recorded_answers_that_are_wrong_are_these_many() -> None:
    """Each kind by hand: bits that are lost, empty modes, indexes without a source, a coordinate that is missed."""
    assert Counter(op for op, *_ in WRONG) == {
        "complement": 5,
        "left_inverse": 4,
        "composition": 1,
        "zipped_divide": 1,
        "idx2crd": 1,
        "recast_layout": 8,
        "make_fragment_layout_like": 1,
    }
    assert ("recast_layout", "8:64", "32", "64") in WRONG
    assert all(fl.size(fl.parse(v["result"])) == 0 for v in VECTORS if key(v) in WRONG and v["op"] == "complement")
