"""Identities of tuned functions and of lists of candidates."""

from __future__ import annotations

import functools
from typing import Any

from flydsl.autotune import Config
from flydsl.autotune.identity import candidates_digest, config_text, file_name, python_function


def launch(x: object, BLOCK: int) -> bool:
    """What is tuned."""
    return BLOCK in {"a", "b", "c"}


class Decorated:
    """Keeps what it was made of."""

    def __init__(self, function: Any) -> None:
        self.__wrapped__ = function


def test_the_function_within_decorators_is_what_counts() -> None:
    for value in (launch, Decorated(launch), functools.partial(launch, 1), Decorated(Decorated(launch))):
        assert python_function(value) is launch
    assert python_function(3) is None
    assert file_name(launch, "launch") == file_name(Decorated(launch), "launch")


def test_a_name_is_one_of_a_file() -> None:
    assert file_name(launch, "<lambda>").startswith("lambda-")
    assert file_name(launch, "../../x").startswith("x-")
    assert file_name(launch, "\udcff").startswith("function-")


def test_candidates_count_in_any_order() -> None:
    one, other = Config(BLOCK=1), Config(BLOCK=2, num_warps=4)
    assert candidates_digest([one, other]) == candidates_digest([other, one]) != candidates_digest([one])
    assert config_text(other) == config_text(Config(num_warps=4, BLOCK=2))
