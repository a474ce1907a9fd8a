"""Operations that make atoms of tensors: the order of a descriptor's axes, and what is no tensor for one."""

from __future__ import annotations

import pytest
from xdsl.utils.exceptions import VerifyException

import flydsl.layout as fl
from flydsl_rocm.tdm_operations import descriptor_axes, integers

L = fl.parse_layout


@pytest.mark.parametrize(
    ("layout", "axes"),
    [
        ("7:1", (0,)),
        ("1:0", (0,)),
        ("(?,?):(?{i64},1)", (0, 1)),
        ("(?,?):(1,?)", (1, 0)),
        ("(?,?,?):(?,?,1)", (0, 1, 2)),
        ("(?,?,?):(1,?,?)", (2, 1, 0)),
        ("(4,5,6):(6,24,1)", (1, 0, 2)),
        ("(4,5):(1,4)", (1, 0)),
    ],
)
def test_axes_go_from_the_outermost_mode_to_the_contiguous_one(layout: str, axes: tuple[int, ...]) -> None:
    assert descriptor_axes(L(layout)) == axes


@pytest.mark.parametrize("layout", ["7:2", "(?,?):(?,?)", "(?,?,?):(?,1,?)", "(4,5):(2,8)"])
def test_a_tensor_without_a_contiguous_mode_at_an_end_is_refused(layout: str) -> None:
    with pytest.raises(VerifyException, match="a first or last mode that is contiguous, found "):
        descriptor_axes(L(layout))


def test_integers_of_a_tuple_are_flat() -> None:
    assert integers(((1, 2), 3)) == (1, 2, 3)
    assert integers(4) == (4,)
