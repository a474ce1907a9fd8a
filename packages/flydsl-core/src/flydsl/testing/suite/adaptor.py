"""A tensor adaptor: what it says about tensors, by each of the ways in which it is asked."""

from __future__ import annotations

from math import prod
from typing import Any

import pytest

from flydsl.adaptors.dlpack_adaptor import DLPackAdaptor
from flydsl.adaptors.dtypes import DTYPES
from flydsl.adaptors.resolve import adaptor_for
from flydsl.base.errors import UnsupportedTensorError
from flydsl.plugins.active.border import check_signature, described
from flydsl.plugins.tensor_adaptor import DeviceRef, DType, TensorAdaptor, TensorDesc
from flydsl.testing.capabilities import Capability, requires
from flydsl.testing.suite.suite import Suite
from flydsl.testing.suite.tensors import Tensors


class AdaptorSuite(Suite):
    """The adaptor that the plugin declares, on tensors that the test file's `tensors` makes."""

    @property
    def adaptor(self) -> TensorAdaptor:
        """The adaptor."""
        return self.bench.adaptor

    @property
    def tensors(self) -> Tensors:
        """How tensors are made."""
        made = self.bench.subject.tensors
        assert made is not None, "the plugin declares an adaptor: give conformance(..., tensors=...) to make tensors"
        return made

    def float32(self, *shape: int) -> Any:
        """A new tensor."""
        return self.tensors.zeros(shape, "float32")

    def view(self, name: str) -> Any:
        """A view of a tensor of shape (4, 6)."""
        return self.tensors.views[name](self.float32(4, 6))

    def assert_consistent(self, tensor: Any) -> TensorDesc:
        """Description, pointer, signature and the expressions for generated stubs say the same."""
        desc = described(self.adaptor, tensor)
        check_signature(self.adaptor, tensor)
        assert self.adaptor.pointer(tensor) == desc.pointer
        assert len(desc.shape) == len(desc.strides)
        numbers = {n: type(n).__name__ for n in (*desc.shape, *desc.strides) if type(n) is not int}
        assert not numbers, f"shape and strides are plain integers, found {numbers}"
        assert hash(self.adaptor.signature(tensor)) == hash(self.adaptor.signature(tensor))
        if self.adaptor.inline is not None:
            assert inline(self.adaptor, tensor, desc.dtype) == (
                desc.pointer,
                desc.shape,
                desc.strides,
                self.adaptor.signature(tensor),
            )
        if hasattr(tensor, "__dlpack__") and not desc.read_only:
            assert_same_elements(desc, DLPackAdaptor().describe(tensor))
        return desc

    def test_its_tensors_are_arguments_of_kernels(self) -> None:
        tensor = self.float32(4)
        kind = type(tensor)
        claims = self.bench.adaptor_manifest.claims(kind)
        assert claims, (
            f"claims({kind.__module__}.{kind.__qualname__}) is {claims!r}: `tensors` makes what is not claimed"
        )
        assert adaptor_for(kind).name == self.adaptor.name

    def test_it_claims_nothing_else(self) -> None:
        for other in (int, str, bytes, list, object, type(None), Suite):
            assert not self.bench.adaptor_manifest.claims(other), f"claims({other.__name__}) is true"

    def test_tensors_of_all_shapes_are_described(self) -> None:
        for shape in self.tensors.shapes:
            desc = self.assert_consistent(self.float32(*shape))
            assert desc.shape == shape
            assert desc.pointer or 0 in shape, f"a tensor of shape {shape} is at address 0"
            assert desc.read_only is not self.bench.capabilities.has(Capability.WRITABLE)
            assert isinstance(desc.device, DeviceRef), f"device is {desc.device!r}, expected a DeviceRef"

    def test_a_contiguous_tensor_is_row_major_in_elements(self) -> None:
        for shape in self.tensors.shapes:
            strides = self.adaptor.describe(self.float32(*shape)).strides
            triples = zip(shape, strides, _row_major(shape), strict=True)
            same = all(found == expected for size, found, expected in triples if size > 1)
            assert 0 in shape or same, f"strides of a new tensor of shape {shape} are {strides}, in elements"

    def test_dtypes_are_those_of_dlpack(self, dtype: str) -> None:
        desc = self.assert_consistent(self.tensors.zeros((3,), dtype))
        assert desc.dtype == DTYPES[dtype]

    @requires(Capability.STRIDED)
    def test_views_are_described_by_their_strides(self, view: str) -> None:
        tensor = self.view(view)
        desc = self.assert_consistent(tensor)
        assert desc.shape == tuple(tensor.shape)
        assert desc.strides != _row_major(desc.shape)

    def test_the_signature_tells_all_that_the_description_tells(self) -> None:
        tensors = [self.float32(4, 6), self.float32(4, 6), self.float32(6, 4), self.float32(24)]
        tensors += [self.tensors.zeros((4, 6), dtype) for dtype in self.tensors.dtypes]
        tensors += [self.view(name) for name in self.tensors.views]
        meanings: dict[Any, TensorDesc] = {}
        for tensor in tensors:
            desc = self.adaptor.describe(tensor)
            known = meanings.setdefault(self.adaptor.signature(tensor), desc)
            assert _without_pointer(known) == _without_pointer(desc)

    def test_equal_tensors_have_one_signature(self) -> None:
        assert self.adaptor.signature(self.float32(4, 6)) == self.adaptor.signature(self.float32(4, 6))

    @requires(Capability.READ_ONLY)
    def test_a_read_only_tensor_can_be_read_and_is_never_written(self) -> None:
        assert self.tensors.read_only is not None, "give Tensors(read_only=...), or declare read_only missing"
        tensor = self.tensors.read_only(self.float32(5))
        assert self.assert_consistent(tensor).read_only, "a read-only tensor is described as one that can be written"
        self.adaptor.before_launch(tensor, 0, written=False)
        with pytest.raises(UnsupportedTensorError):
            self.adaptor.before_launch(tensor, 0, written=True)

    def test_what_no_kernel_can_use_is_refused(self, refused: str) -> None:
        with pytest.raises(UnsupportedTensorError) as caught:
            self.adaptor.describe(self.tensors.refused[refused]())
        assert str(caught.value), f"the error for {refused!r} has no text"

    def test_a_launch_is_announced_and_reported(self) -> None:
        tensor = self.float32(5)
        device = self.adaptor.describe(tensor).device
        stream = self.adaptor.current_stream(device)
        assert isinstance(stream, int), f"current_stream() is {stream!r}, expected a handle"
        for written in (False, True)[: 1 + self.bench.capabilities.has(Capability.WRITABLE)]:
            self.adaptor.before_launch(tensor, stream, written)
            self.adaptor.after_launch(tensor, stream, written)
        self.assert_consistent(tensor)


def inline(adaptor: TensorAdaptor, tensor: Any, dtype: DType) -> tuple[Any, ...]:
    """Pointer, shape, strides in elements and signature as a generated stub reads them."""
    found = adaptor.inline
    assert found is not None
    names = {**found.names, "x": tensor}
    expressions = (found.pointer, found.shape, found.strides, found.signature_text)
    pointer, shape, strides, signature = (eval(text.format(x="x"), names) for text in expressions)
    size = dtype.bits * dtype.lanes // 8 if found.strides_in_bytes else 1
    return pointer, tuple(shape), tuple(stride // size for stride in strides), signature


def assert_same_elements(found: TensorDesc, expected: TensorDesc) -> None:
    """Two descriptions of one tensor; the stride of a mode with one element means nothing."""
    assert (found.pointer, found.shape, found.dtype, found.device) == (
        expected.pointer,
        expected.shape,
        expected.dtype,
        expected.device,
    )
    pairs = zip(found.shape, found.strides, expected.strides, strict=True)
    same = all(mine == theirs for size, mine, theirs in pairs if size > 1)
    assert 0 in found.shape or same, f"strides are {found.strides}, DLPack says {expected.strides}"


def _without_pointer(desc: TensorDesc) -> tuple[object, ...]:
    return desc.shape, desc.strides, desc.dtype, desc.device, desc.read_only


def _row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(prod(shape[mode + 1 :]) for mode in range(len(shape)))
