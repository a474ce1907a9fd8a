"""Objects that speak DLPack and nothing else."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest
from support.dlpack_capsules import capsule_of

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


class OnDevice(Exporter):
    """Says, in its capsules too, that the memory is on another kind of device."""

    def __dlpack__(self, *, stream: int | None = None, **options: Any) -> Any:
        self.streams.append(stream)
        return capsule_of(self.array, device=self.device)


def test_device_exports_are_asked_not_to_wait_and_then_to_wait_for_the_stream() -> None:
    for kind, stream, expected in [(2, 0, 1), (2, 77, 77), (10, 0, 0), (10, 77, 77)]:
        exporter = OnDevice(np.zeros(3), device=(kind, 0))
        held = ADAPTOR.hold(exporter)
        assert ADAPTOR.describe(held).device == DeviceRef(kind, 0)
        assert exporter.streams == [-1]
        ADAPTOR.before_launch(held, stream, written=False)
        assert exporter.streams == [-1, expected]


def test_host_exports_are_asked_for_no_stream() -> None:
    exporter = Exporter(np.zeros(3))
    held = ADAPTOR.hold(exporter)
    ADAPTOR.describe(held)
    ADAPTOR.before_launch(held, 5, written=True)
    assert exporter.streams == [None]


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


class Copier(Exporter):
    """Exports a copy at each question, which lives as long as its capsule."""

    copies: list[weakref.ref[Any]]

    def __dlpack__(self, *, stream: int | None = None, **options: Any) -> Any:
        copy = self.array.copy()
        self.copies = [*getattr(self, "copies", []), weakref.ref(copy)]
        return capsule_of(copy, device=self.device, flags=2)


def test_what_is_held_is_one_export_with_its_memory() -> None:
    exporter = Copier(np.arange(3.0))
    held = ADAPTOR.hold(exporter)
    assert ADAPTOR.hold(held) is held
    assert ADAPTOR.pointer(held) == ADAPTOR.describe(held).pointer == exporter.copies[0]().ctypes.data
    del held
    gc.collect()
    assert [copy() for copy in exporter.copies] == [None]


def test_a_copy_on_a_device_is_the_one_that_was_ordered_before_the_stream() -> None:
    exporter = Copier(np.arange(3.0), device=(2, 0))
    held = ADAPTOR.hold(exporter)
    ADAPTOR.before_launch(held, 5, written=False)
    first, second = (copy() for copy in exporter.copies)
    assert ADAPTOR.pointer(held) == second.ctypes.data
    assert first is not None


def test_what_the_kernel_writes_is_no_copy() -> None:
    with pytest.raises(UnsupportedTensorError, match="a Copier exports a copy through DLPack, and what the kernel wr"):
        ADAPTOR.before_launch(Copier(np.arange(3.0)), 0, written=True)


def test_an_export_that_changes_between_two_questions_is_refused() -> None:
    class Growing(OnDevice):
        def __dlpack__(self, **options: Any) -> Any:
            self.array = np.append(self.array, 1.0)
            return super().__dlpack__(**options)

    held = ADAPTOR.hold(Growing(np.zeros(3), device=(2, 0)))
    with pytest.raises(UnsupportedTensorError, match="a Growing exports another tensor at each question"):
        ADAPTOR.before_launch(held, 0, written=False)


@pytest.mark.parametrize("answer", [None, (), 3, "x"])
def test_a_device_that_is_none_is_a_refusal(answer: Any) -> None:
    class Odd(Exporter):
        def __dlpack_device__(self) -> Any:
            return answer

    exporter = Odd(np.zeros(3))
    if answer == "x":  # no kind of memory of the host: what the capsule says counts
        assert ADAPTOR.describe(exporter).device == DeviceRef(1, 0)
        return
    with pytest.raises(UnsupportedTensorError, match="an Odd does not export through DLPack"):
        ADAPTOR.describe(exporter)
