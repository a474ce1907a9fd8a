"""Objects that speak DLPack and nothing else."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

from flydsl.adaptors.dlpack_adaptor import DLPackAdaptor
from flydsl.base.errors import UnsupportedTensorError
from flydsl.plugins import DeviceRef, DType

ADAPTOR = DLPackAdaptor()


class Exporter:
    """Exports a NumPy array; records the streams it is asked for."""

    def __init__(self, array: Any, *, legacy: bool = False, device: tuple[int, int] = (1, 0)) -> None:
        self.array, self.legacy, self.device = array, legacy, device
        self.streams: list[int | None] = []

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device

    def __dlpack__(self, *, stream: int | None = None, **options: Any) -> Any:
        if self.legacy and options:
            raise TypeError("unexpected keyword")
        self.streams.append(stream)
        return self.array.__dlpack__(**options)


@pytest.mark.parametrize(
    "array",
    [
        np.arange(24, dtype=np.float32).reshape(2, 3, 4),
        np.arange(24, dtype=np.int16).reshape(4, 6).T[1:, ::2],
        np.zeros((0, 3), np.uint8),
        np.array(3.0),
    ],
)
def test_an_export_is_described_as_numpy_sees_it(array: Any) -> None:
    desc = ADAPTOR.describe(Exporter(array))
    assert (desc.pointer, desc.shape) == (array.ctypes.data, array.shape)
    if array.size:  # without elements NumPy's own versions differ in strides
        assert desc.strides == tuple(stride // array.itemsize for stride in array.strides)
    assert desc.dtype == DType({"f": 2, "i": 0, "u": 1}[array.dtype.kind], array.itemsize * 8)
    assert (desc.device, desc.read_only) == (DeviceRef(1, 0), False)


def test_the_signature_tells_all_but_the_pointer() -> None:
    one, other = Exporter(np.zeros((2, 3))), Exporter(np.zeros((2, 3)))
    assert ADAPTOR.signature(one) == ADAPTOR.signature(other)
    assert ADAPTOR.pointer(one) != ADAPTOR.pointer(other)
    assert ADAPTOR.signature(Exporter(np.zeros((3, 2)).T)) != ADAPTOR.signature(one)


def test_read_only_and_legacy_exports_can_be_read_but_not_written() -> None:
    frozen = np.zeros(3)
    frozen.flags.writeable = False
    for exporter in (Exporter(frozen), Exporter(np.zeros(3), legacy=True)):
        assert ADAPTOR.describe(exporter).read_only
        ADAPTOR.before_launch(exporter, 0, written=False)
        with pytest.raises(UnsupportedTensorError, match="an Exporter is read-only through DLPack"):
            ADAPTOR.before_launch(exporter, 0, written=True)


def test_a_refusal_of_the_exporter_is_told() -> None:
    class Tracer(Exporter):
        def __dlpack__(self, **options: Any) -> Any:
            raise RuntimeError("no data while tracing")

    with pytest.raises(UnsupportedTensorError, match="a Tracer does not export through DLPack: no data while tracing"):
        ADAPTOR.describe(Tracer(np.zeros(1)))


def test_something_else_than_a_capsule_is_refused() -> None:
    class Odd(Exporter):
        def __dlpack__(self, **options: Any) -> Any:
            return 3

    with pytest.raises(UnsupportedTensorError, match="3 is no DLPack capsule"):
        ADAPTOR.describe(Odd(np.zeros(1)))


def test_device_exports_are_asked_not_to_wait_and_then_to_wait_for_the_stream() -> None:
    for kind, stream, expected in [(2, 0, 1), (2, 77, 77), (10, 0, 0), (10, 77, 77)]:
        exporter = Exporter(np.zeros(3), device=(kind, 0))
        ADAPTOR.describe(exporter)
        assert exporter.streams == [-1]
        ADAPTOR.before_launch(exporter, stream, written=False)
        assert exporter.streams == [-1, expected]


def test_host_exports_are_asked_for_no_stream() -> None:
    exporter = Exporter(np.zeros(3))
    ADAPTOR.describe(exporter)
    ADAPTOR.before_launch(exporter, 5, written=True)
    assert set(exporter.streams) == {None}


def test_capsules_are_released_and_the_array_survives() -> None:
    class Owner(np.ndarray):
        """Counts references."""

    import sys

    array = np.zeros(4).view(Owner)
    before = sys.getrefcount(array)
    for _ in range(10):
        ADAPTOR.describe(Exporter(array))
    gc.collect()
    assert sys.getrefcount(array) == before
