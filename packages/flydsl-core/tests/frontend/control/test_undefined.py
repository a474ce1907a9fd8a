"""What stands for a variable without a value: every use says why."""

from __future__ import annotations

import pytest

from flydsl.base.errors import FrontendError
from flydsl.frontend.control.undefined import RETURNED, Absent, Undefined, undefined, variable

USES = {
    "add": lambda x: x + 1,
    "radd": lambda x: 1 + x,
    "compare": lambda x: x < 1,
    "equal": lambda x: x == 1,
    "call": lambda x: x(),
    "item": lambda x: x[0],
    "attribute": lambda x: x.real,
    "truth": bool,
    "iterate": list,
    "format": lambda x: f"{x}",
    "repr": repr,
    "hash": hash,
    "store": lambda x: setattr(x, "a", 1),
    "power": lambda x: x**2,
    "matmul": lambda x: x @ 1,
    "index": lambda x: [1][x],
}


@pytest.mark.parametrize("use", list(USES.values()), ids=list(USES))
def test_any_use_says_why_there_is_no_value(use):
    with pytest.raises(FrontendError, match="variable 'x' has no value on some path through a dynamic branch or loop"):
        use(Undefined("x"))


def test_the_reason_can_be_another_one():
    with pytest.raises(FrontendError, match="^variable 'x' has no value after del"):
        Undefined("x", "has no value after del")()


def test_what_is_read_in_any_case_fails_at_once():
    with pytest.raises(FrontendError, match="^the returned value is both"):
        undefined(RETURNED, "is both")
    assert isinstance(undefined("x", "is both"), Undefined)


def test_a_message_names_variables_in_quotes():
    assert variable("x") == "variable 'x'"
    assert variable("the index of the loop") == "the index of the loop"


def test_an_absent_result_is_undefined_too():
    with pytest.raises(FrontendError, match="^the returned value has no value"):
        Absent() + 1
