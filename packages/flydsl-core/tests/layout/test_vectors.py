"""The recorded answers of upstream's compiler: same result, and an error where its process dies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from layout_strategies import image

import flydsl.layout as fl
from flydsl.base.errors import LayoutError
from flydsl.layout.int_tuple import text

DATA = Path(__file__).parent.parent / "data" / "layout_vectors.jsonl"
VECTORS = [json.loads(line) for line in DATA.read_text().splitlines()]
# Worked by hand, or examples that every text on this algebra gives: two for each operation.
TEXTBOOK = [json.loads(line) for line in (DATA.parent / "textbook_vectors.jsonl").read_text().splitlines()]

# Recorded answers that are wrong: they break the definition of the operation (see the tests below). Ours raises.
WRONG = {
    ("complement", "(2,16,16):(2,32,16)", "512"),
    ("complement", "(8,8,2):(32,64,2)", "256"),
    ("complement", "(4,16,(8,2)):(8,4,(32,16))", "1024"),
    ("complement", "((16,4),(4,2),4):((2,32),(64,32),0)", "4096"),
    ("complement", "(16,((3,2),1)):(8,((8,1),1))", "512"),
    ("left_inverse", "(4,16):(8,1)"),
    ("left_inverse", "(16,4,8):(8,32,4)"),
    ("left_inverse", "(4,16,16):(32,4,0)"),
    ("left_inverse", "(8,4,4):(4,2,32)"),
    ("composition", "(3,2):(16,32)", "(4,2):(2,1)"),
    ("zipped_divide", "(16,(3,4)):(12,(4,1))", "[(2,2):(1,4)|2]"),
}


def run(vector: dict) -> str:
    args = [fl.parse(arg) for arg in vector["args"]]
    if vector["op"] in ("crd2idx", "idx2crd"):
        args.reverse()
    found = getattr(fl, vector["op"])(*args)
    return text(found) if isinstance(found, (int, tuple)) else str(found)


def key(vector: dict) -> tuple[str, ...]:
    return (vector["op"], *vector["args"])


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


@pytest.mark.parametrize("vector", [v for v in VECTORS if v["status"] == "abort" or key(v) in WRONG], ids=str)
def test_where_upstream_dies_or_is_wrong_an_error_names_the_operation(vector: dict) -> None:
    with pytest.raises(LayoutError) as caught:
        run(vector)
    assert caught.value.op
    assert caught.value.operands
    assert caught.value.condition


def recorded(op: str) -> list[tuple[list[fl.Layout], fl.Layout]]:
    found = [v for v in VECTORS if key(v) in WRONG and v["op"] == op]
    return [([fl.parse(arg) for arg in v["args"]], fl.parse(v["result"])) for v in found]


def test_the_recorded_complements_left_out_are_empty() -> None:
    for _, result in recorded("complement"):
        assert fl.size(result) == 0


def test_the_recorded_left_inverses_left_out_miss_the_domain() -> None:
    for (layout,), result in recorded("left_inverse"):
        sources = [(index, result(index)) for index in image(layout)]
        assert any(source >= fl.size(layout) or layout(source) != index for index, source in sources)


def test_the_recorded_composition_left_out_is_not_the_composition() -> None:
    for (a, b), result in recorded("composition"):
        assert any(result(i) != a(b(i)) for i in range(fl.size(b)))


def test_the_recorded_division_left_out_loses_elements() -> None:
    for (a, _), result in recorded("zipped_divide"):
        assert not set(image(a)) <= set(image(result))
