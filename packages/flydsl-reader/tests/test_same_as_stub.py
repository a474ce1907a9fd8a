"""Calls that the reader serves come to the same as by the generated stub: what is packed, missed and refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from support.call_sites import Served

import flydsl.expr as fx
from flydsl.frontend.signature import Parameter
from flydsl.plugins.active.selection import choice

TENSOR = Parameter("x", "tensor")
NUMBERS = {
    **{f"{sign}{bits}": getattr(fx, f"{sign}{bits}") for sign in ("Int", "Uint") for bits in (8, 16, 32, 64)},
    **{"Boolean": fx.Boolean, "Float32": fx.Float32, "Float64": fx.Float64},
}
EDGES = [0, 1, -1, *(sign * 2**bits + step for bits in (7, 8, 15, 16, 31, 32, 63, 64) for sign in (1, -1) for step in (-1, 0, 1))]  # fmt: skip  # noqa: E501
FLOATS = [0.0, -0.0, 1.5, 1e-45, 3.4028234663852886e38, 3.4028236e38, 1e39, -1e39, 1e308, math.inf, -math.inf, math.nan]
ODD = [None, "text", b"bytes", 1j, [], object(), np.float32(2.5), np.int64(3), np.zeros(1), fx.Int32]


def number(name: str) -> Parameter:
    return Parameter("n", "scalar", NUMBERS[name])


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("first", [1, True, 1.0])
def test_each_number_is_packed_or_refused_as_by_the_stub(name: str, first: Any) -> None:
    first = first if NUMBERS[name].is_float or not isinstance(first, float) else 2
    served = Served([number(name), number("Int32")], (first, 7))
    for value in [*EDGES, *FLOATS, True, False, 10**30, -(10**30), *ODD]:
        served.agreed(value, 5)
    assert served.agreed(1, 5)[0] == "launched"


@given(st.lists(st.sampled_from(sorted(NUMBERS)), max_size=9), st.data())
def test_numbers_stand_where_the_stub_puts_them(names: list[str], data: Any) -> None:
    def draw(name: str) -> Any:
        dtype: Any = NUMBERS[name]
        if name == "Boolean":
            return data.draw(st.booleans())
        if dtype.is_float:
            return data.draw(st.floats(width=dtype.width, allow_nan=False))
        low = -(1 << dtype.width - 1) if dtype.is_signed else 0
        return data.draw(st.integers(low, low + (1 << dtype.width) - 1))

    served = Served([number(name) for name in names], tuple(map(draw, names)))
    assert served.agreed(*map(draw, names))[0] == "launched"


@pytest.mark.parametrize("first", [5, 2**40, True, 2.5])
def test_a_number_without_annotation_has_the_code_of_its_size(first: Any) -> None:
    served = Served([Parameter("n", "any"), number("Int32")], (first, 1))
    for value in [*EDGES, *FLOATS, True, *ODD]:
        served.agreed(value, 2)


@given(
    hnp.arrays(st.sampled_from(["f4", "i8", "u1", "?"]), hnp.array_shapes(min_dims=0, max_dims=4, min_side=0)),
    st.data(),
)
def test_any_view_of_an_array_is_packed_as_by_the_stub(array: Any, data: Any) -> None:
    slices = [slice(None), slice(None, None, 2), slice(1, None), slice(None, None, -1)]
    view = array[(..., *(data.draw(st.sampled_from(slices)) for _ in array.shape))].T
    served = Served([TENSOR, number("Int32")], (view, 1))
    assert served.agreed(view, 5)[0] in ("launched", "UnsupportedTensorError")
    served.agreed(array, 5)
    served.agreed(view.copy(), 5)


def arrays() -> dict[str, Any]:
    frozen = np.zeros((4, 6), np.float32)
    frozen.flags.writeable = False
    raw = np.zeros(100, np.uint8)
    return {
        "equal": np.ones((4, 6), np.float32),
        "an equal dtype that is another object": np.zeros((4, 6), np.dtype(np.float32).newbyteorder("=")),
        "read-only": frozen,
        "dtype": np.zeros((4, 6), np.int32),
        "shape": np.zeros((6, 4), np.float32),
        "rank": np.zeros((4, 6, 1), np.float32),
        "strides": np.zeros((6, 4), np.float32).T,
        "gaps": np.zeros((4, 12), np.float32)[:, ::2],
        "backwards": np.zeros((4, 6), np.float32)[::-1],
        "expanded": np.broadcast_to(np.zeros((1, 6), np.float32), (4, 6)),
        "misaligned": raw[1:97].view(np.float32).reshape(4, 6),
        "empty": np.zeros((0, 6), np.float32),
        "no modes": np.zeros((), np.float32),
        "byte order": np.zeros((4, 6), ">f4"),
        "masked": np.ma.zeros((4, 6), np.float32),
        "matrix": np.zeros((4, 6), np.float32).view(np.matrix),
        "no array": 3,
        "a list": [[1.0]],
        "None": None,
    }


@pytest.mark.parametrize("case", arrays())
def test_what_differs_in_anything_needs_another_plan_or_is_refused(case: str) -> None:
    first, other = np.zeros((4, 6), np.float32), arrays()[case]
    served = Served([TENSOR, TENSOR, number("Int32")], (first, first, 1), written=frozenset({1}))
    for leaves in ((first, other, 5), (other, first, 5), (first, first, 6)):
        served.agreed(*leaves)
    alike = ("equal", "an equal dtype that is another object", "masked", "matrix")  # for calls of any types
    assert (served.agreed(other, first, 5)[0] == "launched") == (case in alike)


@pytest.mark.parametrize("value, other", [(1, 2), ("a", "b"), (True, False), (None, None), (b"x", b"y"), (10**20, 1)])
def test_compile_time_values_are_told_apart(value: Any, other: Any) -> None:
    served = Served([Parameter("c", "constexpr"), number("Int32")], (value, 3))
    assert served.agreed(value, 4)[0] == "launched"
    same = eval(repr(value))
    assert served.agreed(same, 4)[0] == "launched"
    assert (served.agreed(other, 4)[0] == "missed") == (value != other)
    for odd in ODD[1:]:
        if not isinstance(odd, list | np.ndarray):
            served.agreed(odd, 4)


@pytest.mark.parametrize("value", [[1], {"a": 1}, ([1],), number])
def test_compile_time_values_that_may_change_are_left_to_the_stub(value: Any) -> None:
    assert not Served([Parameter("c", "constexpr")], (value,)).is_native


@pytest.mark.parametrize("dtype", [fx.Float16, fx.BFloat16])
def test_numbers_whose_bits_python_works_out_are_left_to_the_stub(dtype: Any) -> None:
    assert not Served([Parameter("n", "scalar", dtype)], (1.0,)).is_native


class Queue:
    """An object with a handle."""

    def __init__(self, handle: Any) -> None:
        self.handle = handle


@pytest.mark.parametrize("first", [fx.Stream(None), fx.Stream(7), Queue(8), 9])
def test_streams_are_those_of_the_stub(first: Any) -> None:
    served = Served([Parameter("s", "stream"), number("Int32")], (first, 1))
    for other in (first, fx.Stream(None), fx.Stream(77), Queue(2**63), 5, None, "text", Queue("no number"), Queue(-1)):
        served.agreed(other, 2)
    assert served.agreed(first, 3)[1][0][3] in (None, 7, 8, 9)


def test_without_a_stream_it_is_the_default_one() -> None:
    served = Served([Parameter("s", "stream"), number("Int32")], (None, 1))
    assert served.agreed(None, 3)[1][0][3:] == (None, bytes(8) + b"\3" + bytes(7))


def test_defaults_are_packed_without_being_passed() -> None:
    parameters = [number("Int32"), Parameter("s", "stream"), Parameter("c", "constexpr"), number("Float64")]
    served = Served(parameters, (1, fx.Stream(5), "code", 2.5), 1)
    assert served.agreed(9)[0] == "launched"
    assert served.agreed()[0] == served.agreed(9, None, None)[0] == "TypeError"


def test_guards_are_asked_at_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    pair, state = object(), {"current": True}
    monkeypatch.setattr(choice, "pair", pair)
    served = Served([number("Int32")], (1,), pair=pair, is_current=lambda: state["current"])
    assert served.agreed(1)[0] == "launched"
    state["current"] = False
    assert served.agreed(1)[0] == "missed"
    state["current"] = True
    assert served.agreed(1)[0] == "launched"
    monkeypatch.setattr(choice, "pair", object())
    assert served.agreed(1)[0] == "missed"


def test_an_error_of_a_guard_is_left_to_the_stub() -> None:
    def is_current() -> bool:
        raise RuntimeError("guard")

    served = Served([number("Int32")], (1,), is_current=is_current)
    assert served.agreed(1) == ("RuntimeError", "guard")


def test_an_error_code_goes_to_whoever_explains_it() -> None:
    served = Served([number("Int32")], (1,))
    served.launcher.code = 42
    served.agreed(1)
    assert served.failures == [42] * 3


def test_more_arguments_than_the_reader_takes_are_left_to_the_stub() -> None:
    names = ["Int32"] * 65
    assert not Served([number(name) for name in names], (1,) * 65).is_native
    assert Served([number(name) for name in names[1:]], (1,) * 64).agreed(*range(64))[0] == "launched"


def test_tensors_of_more_modes_than_the_reader_takes_are_left_to_the_stub() -> None:
    x = np.zeros((1,) * 60 + (2,), np.float32)
    served = Served([TENSOR] * 4, (x,) * 4)
    assert served.agreed(x, x, x, x)[0] == "launched"
    assert served.site.native is not None
    assert served.site.native._site.key(x, x, x, x) is None
