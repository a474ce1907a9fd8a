"""Generated call stubs: what they pack, bit for bit, and when they ask for another plan."""

from __future__ import annotations

import enum
import struct
from ctypes import c_void_p
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.call_sites import slot_types

import flydsl.expr as fx
from flydsl.base.errors import ArgumentError
from flydsl.compiler.call.bound_call import BoundCall
from flydsl.compiler.call.stub import make_plan, make_site
from flydsl.frontend.signature import Parameter
from flydsl.plugins.active.selection import choice
from flydsl.plugins.tensor_adaptor import DeviceRef, DType, Inline, TensorAdaptor, TensorDesc
from flydsl.toolchain.slots import slot_table


class Launches:
    """Stands for a launcher: keeps what was launched."""

    def __init__(self):
        self.packed, self.streams = [], []

    def __call__(self, table, module, ordinal, stream, packed):
        self.packed.append(packed)
        self.streams.append(stream)
        return 0


def site_for(parameters, values, given=None, *, pair=None, is_current=None):
    """A site for a call, a log of launches, a log of misses; plans are made from the call's own arguments."""
    launches, misses = Launches(), []
    call = BoundCall.of(parameters, values, given)
    slots = slot_table(list(slot_types(call.arguments)))
    loaded = SimpleNamespace(
        artifact=SimpleNamespace(slots=slots),
        launcher=SimpleNamespace(fly_launch_packed=launches),
        module=0,
        ordinal=0,
    )
    site = make_site(
        call,
        frozenset(),
        pair=pair,
        is_current=is_current,
        miss=misses.append,
        check=call.check(),
        fail=lambda code: None,
    )
    site.add(call.passed_leaves, make_plan(loaded, 0, call))
    return site, launches, misses


def scalar(dtype, index=0):
    return Parameter(f"p{index}", "scalar", dtype)


CODES = {
    "Int8": "b",
    "Int16": "h",
    "Int32": "i",
    "Int64": "q",
    "Uint8": "B",
    "Uint16": "H",
    "Uint32": "I",
    "Uint64": "Q",
    "Float16": "e",
    "Float32": "f",
    "Float64": "d",
    "Boolean": "?",
}


def value_of(name):
    dtype = getattr(fx, name)
    if name == "Boolean":
        return st.booleans()
    if dtype.is_float:
        return st.floats(width=dtype.width, allow_nan=False)
    low = -(1 << dtype.width - 1) if dtype.is_signed else 0
    return st.integers(low, low + (1 << dtype.width) - 1)


arguments = st.lists(
    st.sampled_from(sorted(CODES)).flatmap(lambda name: st.tuples(st.just(name), value_of(name))), max_size=9
)


@given(arguments)
def test_scalars_are_packed_as_struct_packs_them(chosen):
    parameters = [scalar(getattr(fx, name), index) for index, (name, _) in enumerate(chosen)]
    values = tuple(value for _, value in chosen)
    site, launches, misses = site_for(parameters, values)
    site.stub(*values)
    expected = b"".join(struct.pack("<" + CODES[name], value).ljust(8, b"\0") for name, value in chosen)
    assert launches.packed == [expected]
    assert misses == []


@pytest.mark.parametrize("value, bits", [(1.0, 0x3F80), (1.00390625, 0x3F80), (1.01171875, 0x3F82), (-0.0, 0x8000)])
def test_bfloat16_is_rounded_to_even(value, bits):
    site, launches, _ = site_for([scalar(fx.BFloat16)], (value,))
    site.stub(value)
    assert launches.packed == [struct.pack("<H6x", bits)]


@pytest.mark.parametrize(
    "dtype, first, bad",
    [("Uint8", 1, -1), ("Uint8", 1, 256), ("Int32", 1, 2**31), ("Int64", 1, 2**63), ("Int32", 1, 1.5), ("Int8", 1, "")],
)
def test_a_value_that_does_not_fit_is_explained_and_not_launched(dtype, first, bad):
    site, launches, _ = site_for([scalar(getattr(fx, dtype))], (first,))
    with pytest.raises(ArgumentError, match="argument 'p0'"):
        site.stub(bad)
    assert launches.packed == []


def test_an_int_without_annotation_that_needs_64_bits_asks_for_another_plan():
    site, launches, misses = site_for([Parameter("n", "any")], (5,))
    for n in (7, -(2**31), 2**31 - 1):
        site.stub(n)
    assert launches.packed == [struct.pack("<i4x", n) for n in (7, -(2**31), 2**31 - 1)]
    site.stub(2**31)
    assert misses == [(2**31,)]


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


@pytest.mark.parametrize(
    "value, other",
    [
        (1, 2),
        ("a", "b"),
        (0.0, -0.0),
        ((1,), (True,)),
        ((1,), (1.0,)),
        ((0.0,), (-0.0,)),
        (Colour.RED, Colour.BLUE),
        (fx.Int8, fx.Int16),
        ({"a": 1}, {"a": 2}),
        ([1, 2], [1, 3]),
    ],
)
def test_other_compile_time_values_ask_for_another_plan(value, other):
    site, launches, misses = site_for([Parameter("c", "constexpr"), scalar(fx.Int32, 1)], (value, 3))
    site.stub(value, 4)
    site.stub(other, 4)
    assert launches.packed == [struct.pack("<i4x", 4)]
    assert misses == [(other, 4)]


def test_a_compile_time_nan_finds_its_plan_again():
    site, launches, misses = site_for([Parameter("c", "constexpr")], (float("nan"),))
    site.stub(float("nan"))
    assert (len(launches.packed), misses) == (1, [])


def test_defaults_are_packed_without_being_passed():
    site, launches, _ = site_for([scalar(fx.Int32), scalar(fx.Float64, 1)], (1, 2.5), given=1)
    site.stub(9)
    assert launches.packed == [struct.pack("<i4xd", 9, 2.5)]


def test_tensors_are_a_pointer_and_what_is_dynamic():
    x = np.arange(12, dtype=np.float32).reshape(3, 4)[:, ::2]
    site, launches, misses = site_for([Parameter("x", "tensor"), scalar(fx.Int32, 1)], (x, 1))
    site.stub(x, 5)
    shape_and_strides = struct.pack("<iiqq", 3, 2, 4, 2)
    assert launches.packed == [struct.pack("<Q", x.ctypes.data) + shape_and_strides + struct.pack("<i4x", 5)]
    y = np.zeros((5, 2), np.float32)
    site.stub(y, 5)
    assert [m[0] is y for m in misses] == [True]


@pytest.mark.parametrize(
    "stream, handle", [(fx.Stream(None), 0), (fx.Stream(77), 77), (SimpleNamespace(handle=88), 88)]
)
def test_an_explicit_stream_is_passed(stream, handle):
    site, launches, _ = site_for([Parameter("s", "stream")], (stream,))
    site.stub(stream)
    assert launches.packed == [struct.pack("<Q", handle)]
    assert launches.streams == [handle]


def test_no_stream_is_the_default_stream():
    site, launches, _ = site_for([Parameter("s", "stream")], (None,), pair=choice.pair or object())
    site.stub(None, *site.plans.values())
    assert launches.packed == [bytes(8)]
    assert launches.streams == [None]


def test_prepared_calls_made_without_a_stream_take_one():
    site, launches, _ = site_for([Parameter("s", "stream")], (None,))
    site.stub(None)
    site.stub(77)
    assert launches.packed == [bytes(8), (77).to_bytes(8, "little")]
    assert launches.streams == [0, 77]


class Array:
    """A framework's array, on a device of kind `kind`."""

    def __init__(self, kind=2):
        self.kind = kind


class FrameworkAdaptor(TensorAdaptor):
    name = "framework"

    def __init__(self):
        self.stream, self.calls = 123, []

    def describe(self, obj):
        return TensorDesc(4096, (4,), (1,), DType(2, 32), DeviceRef(obj.kind, 1), False)

    def signature(self, obj):
        return obj.kind

    def pointer(self, obj):
        return 4096

    def current_stream(self, device):
        assert device == DeviceRef(2, 1)
        return self.stream

    def before_launch(self, obj, stream, written):
        self.calls.append(("before", stream))


@pytest.fixture
def framework(monkeypatch):
    adaptor = FrameworkAdaptor()
    monkeypatch.setattr("flydsl.compiler.call.tensor.adaptor_for", lambda cls: adaptor)
    return adaptor


def test_without_a_stream_the_frameworks_current_one_is_used_each_time(framework):
    site, launches, _ = site_for([Parameter("x", "tensor")], (Array(),))
    site.stub(Array())
    framework.stream = 456
    site.stub(Array())
    assert launches.streams == [123, 456]
    assert framework.calls == [("before", 123), ("before", 456)]


def test_an_explicit_stream_wins_over_the_frameworks(framework):
    parameters = [Parameter("x", "tensor"), Parameter("s", "stream")]
    site, launches, _ = site_for(parameters, (Array(), fx.Stream(9)))
    site.stub(Array(), fx.Stream(9))
    site.stub(Array(), fx.Stream(None))
    assert launches.streams == [9, 123]


def test_host_memory_has_no_current_stream(framework):
    site, launches, _ = site_for([Parameter("x", "tensor")], (Array(kind=1),))
    site.stub(Array(kind=1))
    assert launches.streams == [0]


class ComparingAdaptor(FrameworkAdaptor):
    """Compares tensors by their kind, and logs which it has compared."""

    def __init__(self):
        super().__init__()
        self.compared = []
        self.inline = Inline(
            pointer="4096", shape="(4,)", strides="(1,)", signature=("{x}.kind", "1"), matcher=self.matcher
        )

    def matcher(self, tensors, written):
        kinds = [tensor.kind for tensor in tensors]

        def match(*others):
            self.compared.append(kinds)
            return [other.kind for other in others] == kinds

        return match


def test_tensors_that_their_framework_compares_have_a_plan_by_one_comparison(monkeypatch):
    adaptor = ComparingAdaptor()
    monkeypatch.setattr("flydsl.compiler.call.tensor.adaptor_for", lambda cls: adaptor)
    parameters = [Parameter("x", "tensor"), Parameter("n", "any"), Parameter("y", "tensor")]
    site, launches, misses = site_for(parameters, (Array(1), 5, Array(1)))
    site.stub(Array(1), 5, Array(1))
    assert adaptor.compared == [[1, 1]]  # when it was made
    site.stub(Array(1), 6, Array(1))
    site.plans.clear()
    site.stub(Array(1), 7, Array(1))
    assert (len(launches.packed), adaptor.compared[1:]) == (3, [[1, 1]] * 2)
    for leaves in ((Array(1), 7, Array(2)), (Array(1), 2**40, Array(1))):
        site.stub(*leaves)
    assert (len(launches.packed), len(misses)) == (3, 2)


def test_another_pair_asks_for_another_plan(monkeypatch):
    pair = object()
    monkeypatch.setattr(choice, "pair", pair)
    site, launches, misses = site_for([scalar(fx.Int32)], (1,), pair=pair)
    site.stub(1)
    monkeypatch.setattr(choice, "pair", object())
    site.stub(1)
    assert (len(launches.packed), misses) == (1, [(1,)])


def test_what_is_no_longer_current_asks_for_another_plan():
    state = {"current": True}
    site, launches, misses = site_for([scalar(fx.Int32)], (1,), is_current=lambda: state["current"])
    site.stub(1)
    state["current"] = False
    site.stub(1)
    assert (len(launches.packed), misses) == (1, [(1,)])


PLAN_SLOTS = slot_table(
    [
        ("scalar", "i16"),
        ("pointer", "!llvm.ptr"),
        ("struct", "!llvm.struct<packed (struct<packed (i32)>, struct<packed ()>)>"),
        ("stream", "!llvm.ptr"),
    ]
)
PLAN_PARAMETERS = [
    Parameter("n", "scalar", fx.Uint16),
    Parameter("c", "constexpr"),
    Parameter("x", "tensor"),
    Parameter("s", "stream"),
]


def plan_of(*values):
    loaded = SimpleNamespace(
        artifact=SimpleNamespace(slots=PLAN_SLOTS),
        launcher=SimpleNamespace(fly_launch_packed="launch"),
        module=c_void_p(0x20),
        ordinal=3,
    )
    return make_plan(loaded, 0x10, BoundCall.of(PLAN_PARAMETERS, values))


def test_a_plan_has_what_a_stub_unpacks():
    x = np.zeros(5, np.float32)
    launch, table, module, ordinal, pack, device, mask, layout = plan_of(1, "code", x, None)
    assert (launch, table.value, module.value, ordinal, device) == ("launch", 0x10, 0x20, 3, None)
    assert (mask, layout) == (3, struct.pack("<i4x", 5))
    assert pack(65535, 64, layout, 7) == struct.pack("<H6xQi4xQ", 65535, 64, 5, 7)


def test_a_runtime_that_checks_extents_is_told_them_at_each_launch():
    told, x = [], np.zeros((4, 6), np.float32)
    view = x[::-1, 1:3]
    parameters = [Parameter("x", "tensor"), Parameter("n", "scalar", fx.Int32)]
    call = BoundCall.of(parameters, (view, 1))
    launches, slots = Launches(), slot_table(list(slot_types(call.arguments)))
    loaded = SimpleNamespace(
        artifact=SimpleNamespace(slots=slots), launcher=SimpleNamespace(fly_launch_packed=launches), module=0, ordinal=0
    )

    def within(addresses, extents, launch, *arguments):
        told.append((addresses, extents))
        return launch(*arguments)

    site = make_site(
        call,
        frozenset(),
        pair=None,
        is_current=None,
        miss=pytest.fail,
        check=call.check(),
        fail=pytest.fail,
        within=within,
    )
    site.add(call.passed_leaves, make_plan(loaded, 0, call, with_extents=True))
    site.stub(view, 7)
    assert told == [((view.ctypes.data,), ((-72, 80),))]
    assert len(launches.packed) == 1
