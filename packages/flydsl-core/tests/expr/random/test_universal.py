"""Philox while tracing: its parts fit together. Recorded words are compared in integration-tests/kernels."""

from __future__ import annotations

import flydsl.expr as fx
from flydsl.expr.random import universal


def values(words):
    return [word.value for word in words]


def test_a_seed_is_a_key_of_two_words() -> None:
    seed = (5 << 32) + 9
    rounds = universal.philox_impl(fx.Uint32(1), fx.Uint32(2), fx.Uint32(3), fx.Uint32(4), 9, 5)
    assert values(universal.philox(fx.Uint64(seed), fx.Uint32(1), 2, 3, 4)) == values(rounds)
    assert {word.dtype for word in rounds} == {fx.Uint32}


def test_one_round_by_hand() -> None:
    a, b = 0xD2511F53 * 6, 0xCD9E8D57 * 8
    expected = [(b >> 32) ^ 7 ^ 1, b & 0xFFFFFFFF, (a >> 32) ^ 9 ^ 2, a & 0xFFFFFFFF]
    assert values(universal.philox_impl(fx.Uint32(6), 7, 8, 9, 1, 2, n_rounds=1)) == expected


def test_dynamic_words_take_products_twice_as_wide(emitted) -> None:
    found = emitted(lambda seed, i: universal.randint4x(seed, i, 2), fx.Int32, fx.Int32)
    assert [word.dtype for word in found.result] == [fx.Uint32] * 4
    assert found.names.count("arith.muli") == 3  # one factor of the first round is 0
