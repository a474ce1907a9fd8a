"""Words that do not exist lead to those that do."""

from __future__ import annotations

import pytest

import flydsl.expr as fx


@pytest.mark.parametrize(
    ("written", "meant"),
    [("thred_idx", "thread_idx"), ("syncthreads", "barrier"), ("cdiv", "ceil_div"), ("program_id", "block_idx")],
)
def test_a_misspelt_or_foreign_word_names_ours(written: str, meant: str) -> None:
    with pytest.raises(AttributeError, match=f"no word '{written}', did you mean '{meant}'"):
        getattr(fx, written)


def test_every_foreign_word_is_translated() -> None:
    from flydsl.expr.tracing.spelling import _ELSEWHERE

    for foreign, ours in _ELSEWHERE.items():
        assert not hasattr(fx, foreign)
        assert hasattr(fx, ours)
