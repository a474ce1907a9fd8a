"""Keys of the cache differ exactly when what they are made of does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flydsl.cache.key import Configuration, digest

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
    def key(base: dict[str, str], ir: str = "module {}") -> str:
        return digest(Configuration(**base).artifact_key(ir))  # type: ignore[arg-type]

    assert key(BASE) != (key(BASE, "other") if field == "ir" else key({**BASE, field: "other"}))


@pytest.mark.parametrize("field", [*BASE, "sources", "signature"])
def test_each_field_changes_the_index_key(field: str) -> None:
    def key(base: dict[str, str], sources: str = "s", signature: str = "a: f32") -> str:
        return digest(Configuration(**base).index_key(sources, signature))  # type: ignore[arg-type]

    assert key(BASE) != (key({**BASE, field: "other"}) if field in BASE else key(BASE, **{field: "other"}))


@given(FIELDS, FIELDS)
def test_each_option_and_tool_changes_both_keys(a: dict[str, str], b: dict[str, str]) -> None:
    for name in ("options", "tools"):
        one = Configuration(**BASE, **{name: a})  # type: ignore[arg-type]
        two = Configuration(**BASE, **{name: b})  # type: ignore[arg-type]
        assert (digest(one.artifact_key("x")) == digest(two.artifact_key("x"))) == (a == b)
        assert (digest(one.index_key("x", "y")) == digest(two.index_key("x", "y"))) == (a == b)


def test_a_tool_is_not_mistaken_for_an_option() -> None:
    as_tool, as_option = Configuration(**BASE, tools={"n": "1"}), Configuration(**BASE, options={"n": "1"})
    assert digest(as_tool.artifact_key("")) != digest(as_option.artifact_key(""))
