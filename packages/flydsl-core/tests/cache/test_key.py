"""Keys of the cache differ exactly when what they are made of does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flydsl.cache.key import artifact_key, digest, index_key

FIELDS = st.dictionaries(st.text(max_size=8), st.text(max_size=8), max_size=5)
BASE = {"backend": "cpu", "runtime_kind": "cpu", "target": "cpu:avx2", "pair": "p"}


@given(FIELDS, FIELDS)
def test_digest_is_equal_exactly_for_equal_tables(a: dict[str, str], b: dict[str, str]) -> None:
    assert (digest(a) == digest(b)) == (a == b)


@given(FIELDS)
def test_digest_does_not_depend_on_the_order_of_fields(fields: dict[str, str]) -> None:
    assert digest(dict(reversed(fields.items()))) == digest(fields)


def test_key_rejects_what_is_not_text() -> None:
    with pytest.raises(TypeError, match="'level' is 2"):
        digest({"level": 2})  # type: ignore[dict-item]


@pytest.mark.parametrize("field", [*BASE, "ir"])
def test_each_field_changes_the_artifact_key(field: str) -> None:
    given = {**BASE, "ir": "module {}"}
    assert digest(artifact_key(**given)) != digest(artifact_key(**{**given, field: "other"}))  # type: ignore[arg-type]


@pytest.mark.parametrize("field", [*BASE, "sources", "signature"])
def test_each_field_changes_the_index_key(field: str) -> None:
    given = {**BASE, "sources": "s", "signature": "a: f32"}
    assert digest(index_key(**given)) != digest(index_key(**{**given, field: "other"}))  # type: ignore[arg-type]


@given(FIELDS, FIELDS)
def test_each_option_and_tool_changes_both_keys(a: dict[str, str], b: dict[str, str]) -> None:
    for name in ("options", "tools"):
        one = artifact_key(**BASE, ir="x", **{name: a})  # type: ignore[arg-type]
        two = artifact_key(**BASE, ir="x", **{name: b})  # type: ignore[arg-type]
        assert (digest(one) == digest(two)) == (a == b)
        first = index_key(**BASE, sources="x", signature="y", **{name: a})  # type: ignore[arg-type]
        second = index_key(**BASE, sources="x", signature="y", **{name: b})  # type: ignore[arg-type]
        assert (digest(first) == digest(second)) == (a == b)


def test_a_tool_is_not_mistaken_for_an_option() -> None:
    as_tool, as_option = artifact_key(**BASE, ir="", tools={"n": "1"}), artifact_key(**BASE, ir="", options={"n": "1"})
    assert digest(as_tool) != digest(as_option)
