"""Tensors of any framework with DLPack's exchange API: read in C when their adaptor says how."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import pytest
from support.call_sites import Served
from support.toy_exchange import Streams, ToyAdaptor, ToyTensor, capsule, exchange_api, registered

import flydsl.expr as fx
from flydsl.compiler.call.bound_call import BoundCall
from flydsl.frontend.signature import Parameter

PARAMETERS = [Parameter("x", "tensor"), Parameter("y", "tensor"), Parameter("n", "scalar", fx.Int32)]


@pytest.fixture
def adaptor() -> Iterator[ToyAdaptor]:
    made = ToyAdaptor()
    with registered(made):
        yield made


def served(*values: Any, **options: Any) -> Served:
    return Served(PARAMETERS, values, written=frozenset({1}), **options)


def test_a_tensor_is_its_address_and_what_is_dynamic(adaptor: ToyAdaptor) -> None:
    x, y = ToyTensor((3, 4), offset=8), ToyTensor((5,))
    site = served(x, y, 1)
    kind, calls = site.agreed(x, y, 7)
    expected = struct.pack("<Qiiq", x.pointer, 3, 4, 4) + struct.pack("<Qi4x", y.pointer, 5) + struct.pack("<i4x", 7)
    assert (kind, calls) == ("launched", [(0x10, 0x20, 3, None, expected)])
    assert (x.writes, y.writes) == (0, 3)


@pytest.mark.parametrize("broken", ["error", "null", "ndim", "many modes", "shape", "strides"])
def test_a_description_that_cannot_be_used_is_left_to_the_stub(adaptor: ToyAdaptor, broken: str) -> None:
    x, y = ToyTensor((3, 4)), ToyTensor((3, 4))
    site = served(x, y, 1)
    x.broken = broken
    assert site.agreed(x, y, 7)[0] == "launched"
    assert site.site.native is not None
    assert site.site.native._site.key(x, y, 7) is None


def others() -> dict[str, ToyTensor]:
    found = {
        "shape": ToyTensor((4, 3)),
        "rank": ToyTensor((3, 4, 1)),
        "dtype": ToyTensor((3, 4), dtype=(0, 32, 1)),
        "lanes": ToyTensor((3, 4), dtype=(2, 32, 2)),
        "device": ToyTensor((3, 4), kind=2),
        "hidden": ToyTensor((3, 4)),
        "frozen": ToyTensor((3, 4)),
        "misaligned": ToyTensor((3, 4), offset=2),
    }
    found["hidden"].is_hidden, found["frozen"].is_frozen = True, True
    return found


@pytest.mark.parametrize("case", others())
def test_what_differs_in_anything_needs_another_plan(adaptor: ToyAdaptor, case: str) -> None:
    x, other = ToyTensor((3, 4)), others()[case]
    site = served(x, x, 1)
    assert site.agreed(x, other, 1)[0] in ("missed", "UnsupportedTensorError")
    if case != "frozen":  # which matters of what is written only
        assert site.agreed(other, x, 1)[0] in ("missed", "UnsupportedTensorError")
    assert site.agreed(x, x, 1)[0] == "launched"


def test_dtypes_that_dlpack_does_not_tell_apart_are_told_apart_by_the_framework(adaptor: ToyAdaptor) -> None:
    x, y = ToyTensor((8,), dtype=(0, 8, 1)), ToyTensor((8,))
    site = served(x, y, 1)
    assert site.agreed(x, y, 1)[0] == "launched"
    x.dtype = "half a toy"
    assert site.agreed(x, y, 1)[0] == "missed"


def test_memory_of_a_device_is_used_on_the_frameworks_current_stream(adaptor: ToyAdaptor) -> None:
    x = ToyTensor((3, 4), kind=2)
    site = served(x, x, 1)
    for stream in (0, 77, 2**64 - 1):
        adaptor.stream = stream
        assert site.agreed(x, x, 1)[1][0][3] == (stream or None)
    on_host = served(ToyTensor((3, 4)), ToyTensor((3, 4)), 1)
    assert on_host.agreed(ToyTensor((3, 4)), ToyTensor((3, 4)), 1)[1][0][3] is None


def test_a_plan_that_the_stub_has_is_taken_over(adaptor: ToyAdaptor) -> None:
    x, y = ToyTensor((3, 4)), ToyTensor((3, 4))
    site = served(x, y, 1, is_known=False)
    assert site.agreed(x, y, 1)[0] == "missed"
    plans = site.site._replace(native=None)
    native, site.site = site.site, plans
    site.add(BoundCall.of(PARAMETERS, (x, y, 1)))
    site.site = native
    assert site.agreed(x, y, 1)[0] == "launched"
    site.pure.plans.clear()
    assert site.outcome(site.site.serve, (x, y, 1))[0] == "launched"
    assert site.outcome(site.pure.stub, (x, y, 1))[0] == "missed"


def test_only_tensors_of_the_very_type_are_read(adaptor: ToyAdaptor) -> None:
    class Sub(ToyTensor):
        pass

    x, y = ToyTensor((3, 4)), ToyTensor((3, 4))
    site = served(x, y, 1)
    assert site.agreed(Sub((3, 4)), y, 1)[0] == "launched"
    assert site.site.native is not None
    assert site.site.native._site.key(Sub((3, 4)), y, 1) is None


OLD = exchange_api(1)
KEPT = [exchange_api(2, OLD), exchange_api(2), exchange_api(1, has_function=False), exchange_api(1), OLD]


@pytest.mark.parametrize("api, name, is_native", [
    (KEPT[0], b"dlpack_exchange_api", True),
    (KEPT[1], b"dlpack_exchange_api", False),
    (KEPT[2], b"dlpack_exchange_api", False),
    (KEPT[3], b"something else", False),
    (KEPT[3], b"dlpack_exchange_api", True),
    (None, b"", False),
])  # fmt: skip
def test_an_api_of_another_version_or_form_is_not_used(api: Any, name: bytes, is_native: bool) -> None:
    class Other(ToyTensor):
        __dlpack_c_exchange_api__ = "no capsule" if api is None else capsule(api, name)

    x = Other((3, 4))
    with registered(ToyAdaptor(), Other):
        site = served(x, x, 1)
        assert site.is_native is is_native
        assert site.outcome(site.site.serve, (x, x, 1))[0] == "launched"


def test_without_what_replaces_after_launch_written_tensors_are_left_to_the_stub() -> None:
    class Silent(ToyAdaptor):
        def native_read(self, cls: type[object]) -> Any:
            from dataclasses import replace

            found = super().native_read(cls)
            assert found is not None
            return replace(found, written=None)

    x = ToyTensor((3, 4))
    with registered(Silent()):
        assert not served(x, x, 1).is_native
        assert Served(PARAMETERS, (x, x, 1)).is_native


def test_an_adaptor_that_is_asked_before_each_launch_is_left_to_the_stub() -> None:
    class Asked(ToyAdaptor):
        def before_launch(self, obj: Any, stream: int, written: bool) -> None:
            pass

    x = ToyTensor((3, 4))
    with registered(Asked()):
        assert not served(x, x, 1).is_native


def test_an_error_of_what_is_told_of_writes_is_the_callers(
    adaptor: ToyAdaptor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Any, tensors: Any) -> None:
        raise RuntimeError(f"{len(tensors)} written")

    monkeypatch.setattr(ToyAdaptor, "note_written", refuse)
    x = ToyTensor((3, 4))
    site = served(x, x, 1)
    assert site.outcome(site.site.serve, (x, x, 1)) == ("RuntimeError", "1 written")


def test_an_interrupt_is_no_doubt(adaptor: ToyAdaptor, monkeypatch: pytest.MonkeyPatch) -> None:
    x = ToyTensor((3, 4))
    site = served(x, x, 1)

    def interrupt(self: Any) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(ToyTensor, "hidden", interrupt)
    with pytest.raises(KeyboardInterrupt):
        site.site.serve(x, x, 1)
    assert site.launcher.calls == []


def test_an_api_is_asked_for_streams_where_its_adaptor_says_so(adaptor: ToyAdaptor) -> None:
    adaptor.streams, adaptor.stream = True, 55
    x = ToyTensor((3, 4), kind=2)
    Streams.current = {(2, 1): 55}
    site = served(x, x, 1)
    before = Streams.asked
    assert site.agreed(x, x, 1)[1][0][3] == 55
    assert Streams.asked == before + 2
    for handle in (0, 2**64 - 1):
        Streams.current = {(2, 1): handle}
        adaptor.stream = handle
        assert site.agreed(x, x, 1)[1][0][3] == (handle or None)


def test_a_stream_that_the_api_cannot_tell_is_left_to_the_stub(adaptor: ToyAdaptor) -> None:
    adaptor.streams, adaptor.stream = True, 66
    Streams.current = {}
    x = ToyTensor((3, 4), kind=2)
    assert served(x, x, 1).agreed(x, x, 1)[1][0][3] == 66


def test_no_stream_is_asked_for_on_the_host_or_where_one_is_passed(adaptor: ToyAdaptor) -> None:
    adaptor.streams = True
    Streams.current = {}
    x, y = ToyTensor((3, 4)), ToyTensor((3, 4), kind=2)
    before = Streams.asked
    assert served(x, x, 1).agreed(x, x, 1)[1][0][3] is None
    passed = Served([*PARAMETERS[:2], Parameter("s", "stream")], (y, y, 9), written=frozenset({1}))
    assert passed.agreed(y, y, 9)[1][0][3] == 9
    assert Streams.asked == before


def test_an_adaptor_without_streams_of_its_own_asks_no_api(
    adaptor: ToyAdaptor, monkeypatch: pytest.MonkeyPatch
) -> None:
    adaptor.streams = True
    monkeypatch.delattr(ToyAdaptor, "current_stream")
    x = ToyTensor((3, 4), kind=2)
    before = Streams.asked
    assert served(x, x, 1).agreed(x, x, 1)[1][0][3] is None
    assert Streams.asked == before
