"""What an adaptor need not do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from flydsl.plugins.tensor_adaptor import (
    DeviceRef,
    DType,
    ExchangeRead,
    HeaderRead,
    Inline,
    TensorAdaptor,
    TensorDesc,
)


class Plain(TensorAdaptor):
    name = "plain"

    def describe(self, obj: object) -> TensorDesc:
        return TensorDesc(16, (2, 3), (3, 1), DType(2, 32), DeviceRef(1))

    def signature(self, obj: object) -> int:
        return 1

    def pointer(self, obj: object) -> int:
        return 16


def test_the_defaults_are_the_default_stream_and_nothing_to_do() -> None:
    adaptor = Plain()
    assert adaptor.current_stream(DeviceRef(2, 1)) == 0
    assert adaptor.inline is None
    adaptor.before_launch(object(), 0, True)
    adaptor.after_launch(object(), 0, True)


def test_descriptions_are_of_one_lane_on_the_first_device_and_writable() -> None:
    desc = Plain().describe(None)
    assert (desc.dtype.lanes, desc.device.ordinal, desc.read_only) == (1, 0, False)


def test_expressions_of_stubs_are_data() -> None:
    one, other = (Inline("{x}.p", "{x}.s", "{x}.t", "1", names={"a": value}) for value in (1, [2]))
    assert hash(one) == hash(other)
    assert one != other


@pytest.mark.parametrize(
    ("shape", "strides", "bits", "extent"),
    [
        ((2, 3), (3, 1), 32, (0, 24)),
        ((2, 3), (64, 1), 32, (0, 268)),
        ((5,), (-1,), 16, (-8, 10)),
        ((3, 2), (-4, 2), 8, (-8, 11)),
        ((), (), 64, (0, 8)),
        ((4, 0), (1, 1), 32, (0, 0)),
        ((4,), (0,), 32, (0, 4)),
        ((6,), (1,), 4, (0, 6)),
    ],
)
def test_an_extent_goes_from_the_first_to_the_last_element(
    shape: tuple[int, ...], strides: tuple[int, ...], bits: int, extent: tuple[int, int]
) -> None:
    assert TensorDesc(16, shape, strides, DType(0, bits), DeviceRef(1)).extent() == extent


def test_an_adaptor_says_nothing_unless_it_does() -> None:
    assert Plain().native_read(object) is None


def test_of_an_exchange_only_what_is_named_is_looked_at() -> None:
    read = ExchangeRead()
    assert (read.never, read.never_written, read.shared, read.state, read.written) == ((), (), (), None, None)
    assert ExchangeRead(shared=(DType(0, 8),)) == ExchangeRead(shared=(DType(0, 8, 1),))


def test_reads_are_values() -> None:
    one, other = HeaderRead(16, 24, 32, 40, 56, 64, 1), HeaderRead(16, 24, 32, 40, 56, 64, 2)
    assert hash(one) == hash(replace(other, mask=1))
    assert one != other
