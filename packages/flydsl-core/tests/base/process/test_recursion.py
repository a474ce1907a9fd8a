"""The limit of recursion, higher for a while."""

from __future__ import annotations

import sys

import pytest

from flydsl.base.process.recursion import DeepRecursion, own_recursion_limit


def depth(count: int) -> int:
    return 0 if count == 0 else 1 + depth(count - 1)


def test_more_frames_are_allowed_inside_and_not_behind():
    before = sys.getrecursionlimit()
    with DeepRecursion():
        with DeepRecursion():
            pass
        assert depth(before + 2000) == before + 2000
        assert own_recursion_limit() == before
    assert sys.getrecursionlimit() == before
    with pytest.raises(RecursionError):
        depth(before + 10)


def test_a_limit_that_the_program_sets_meanwhile_stays():
    before = sys.getrecursionlimit()
    try:
        with DeepRecursion():
            sys.setrecursionlimit(before + 123)
            assert own_recursion_limit() == before + 123
        assert sys.getrecursionlimit() == before + 123
    finally:
        sys.setrecursionlimit(before)
