"""Elements and operators of cooperation, for targets with instructions of their own."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from flydsl.backend.cooperation import (
    element,
    operator_of,
    warp_exclusive_scan,
    warp_inclusive_scan,
    warp_reduce,
    warp_scan,
)
from flydsl.base.errors import FrontendError, NoTraceError
from flydsl.expr import Float32, Int32, ReductionOp


def test_python_numbers_are_elements_and_text_is_none() -> None:
    assert isinstance(element(3), Int32)
    assert isinstance(element((1, 2.0))[1], Float32)
    with pytest.raises(FrontendError, match="threads combine"):
        element("three")


def test_an_operator_knows_its_identity() -> None:
    operator = operator_of(ReductionOp.ADD, Int32(1), None)
    assert operator.commutative
    assert int(operator.identity) == 0
    assert int(operator.combine(Int32(2), Int32(3))) == 5


@pytest.mark.parametrize("function", [warp_reduce, warp_inclusive_scan, warp_exclusive_scan, warp_scan])
def test_the_general_algorithms_need_a_kernel(function: Callable[..., object]) -> None:
    with pytest.raises(NoTraceError):
        function(Int32(1), ReductionOp.ADD)
