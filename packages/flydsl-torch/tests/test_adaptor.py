"""torch tensors: described, refused, and autograd told."""

from __future__ import annotations

import contextlib
import ctypes
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from flydsl.adaptors.dlpack_adaptor import DLPackAdaptor
from flydsl.base.errors import UnsupportedTensorError
from flydsl.plugins import DeviceKind, DeviceRef, DType
from flydsl.torch import adaptor
from flydsl.torch.adaptor import TorchAdaptor, device_of
from flydsl.torch.earlier_torch import release

ADAPTOR = TorchAdaptor()
DTYPES = {
    torch.float32: (2, 32), torch.float64: (2, 64), torch.float16: (2, 16), torch.bfloat16: (4, 16), torch.bool: (6, 8),
    torch.int8: (0, 8), torch.int16: (0, 16), torch.int32: (0, 32), torch.int64: (0, 64), torch.uint8: (1, 8),
    torch.uint16: (1, 16), torch.uint32: (1, 32), torch.uint64: (1, 64), torch.complex64: (5, 64),
    torch.float8_e4m3fn: (10, 8), torch.float8_e4m3fnuz: (11, 8), torch.float8_e5m2: (12, 8),
    torch.float8_e5m2fnuz: (13, 8), torch.float8_e8m0fnu: (14, 8),
}  # fmt: skip


def write_raw(tensor: torch.Tensor, value: float) -> None:
    """What a kernel does: store behind autograd's back."""
    (ctypes.c_float * tensor.numel()).from_address(tensor.data_ptr())[:] = [value] * tensor.numel()


def inline(tensor: torch.Tensor) -> tuple[Any, ...]:
    """What a generated stub reads."""
    found = ADAPTOR.inline
    names = {**found.names, "x": tensor}
    return tuple(
        eval(getattr(found, e).format(x="x"), names) for e in ("pointer", "shape", "strides", "signature_text")
    )


@pytest.mark.parametrize("tensor", [
    torch.zeros(4, 5),
    torch.zeros(4, 5).t()[1:, ::2],
    torch.zeros(()),
    torch.zeros(0, 3),
    torch.zeros(1, 3).expand(4, 3),
    torch.nn.Parameter(torch.zeros(2)),
])  # fmt: skip
def test_a_tensor_is_described_as_torch_sees_it(tensor: torch.Tensor) -> None:
    desc = ADAPTOR.describe(tensor)
    assert (desc.pointer, desc.shape, desc.strides) == (tensor.data_ptr(), tuple(tensor.shape), tensor.stride())
    assert (desc.device, desc.read_only) == (DeviceRef(1, 0), False)
    assert inline(tensor) == (desc.pointer, tensor.shape, tensor.stride(), ADAPTOR.signature(tensor))
    assert ADAPTOR.pointer(tensor) == desc.pointer


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes_are_dlpack_numbers(dtype: torch.dtype) -> None:
    assert ADAPTOR.describe(torch.empty(2, dtype=dtype)).dtype == DType(*DTYPES[dtype])


@pytest.mark.parametrize(
    "tensor", [torch.zeros(2, 3).t(), torch.zeros(3, dtype=torch.int16), torch.zeros(2).bfloat16()]
)
def test_the_description_is_that_of_dlpack(tensor: torch.Tensor) -> None:
    exported = DLPackAdaptor().describe(tensor)
    if release(torch.__version__) < (2, 9):  # whose capsules do not say whether they may be written
        exported = exported._replace(read_only=False)
    assert ADAPTOR.describe(tensor) == exported


def make_fake() -> torch.Tensor:
    with FakeTensorMode():
        return torch.zeros(3)


def make_nested() -> torch.Tensor:
    return torch.nested.nested_tensor([torch.zeros(2), torch.zeros(3)])


def make_quantized() -> torch.Tensor:
    return torch.quantize_per_tensor(torch.ones(3), 1.0, 0, torch.qint8)


def make_lazily_negated() -> torch.Tensor:
    return torch.view_as_complex(torch.randn(3, 2)).conj().imag


REFUSED: dict[str, tuple[Callable[[], torch.Tensor], str]] = {
    "fake": (make_fake, "a FakeTensor only stands for a tensor"),
    "meta": (lambda: torch.empty(3, device="meta"), "a meta tensor has no data"),
    "sparse": (lambda: torch.eye(3).to_sparse(), "layout torch.sparse_coo is not dense memory"),
    "sparse rows": (lambda: torch.eye(3).to_sparse_csr(), "layout torch.sparse_csr is not dense memory"),
    "mkldnn": (lambda: torch.eye(3).to_mkldnn(), "layout torch._mkldnn is not dense memory"),
    "nested": (make_nested, "a nested tensor is several"),
    "quantized": (make_quantized, "a quantised tensor has a scale"),
    "conjugated": (lambda: torch.zeros(3, dtype=torch.complex64).conj(), "pass tensor.resolve_conj()"),
    "negated": (make_lazily_negated, "pass tensor.resolve_neg()"),
    "int4": (lambda: torch.empty(3, dtype=torch.int4), "dtype torch.int4 cannot be passed to a kernel"),
    "bits": (lambda: torch.empty(3, dtype=torch.bits8), "dtype torch.bits8 cannot be passed to a kernel"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_plain_dense_memory_is_refused(case: str) -> None:
    make, message = REFUSED[case]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tensor = make()
        with pytest.raises(UnsupportedTensorError) as caught:
            ADAPTOR.describe(tensor)
    assert message in str(caught.value)


def test_a_tensor_inside_vmap_is_refused() -> None:
    def call(tensor: torch.Tensor) -> torch.Tensor:
        ADAPTOR.describe(tensor)
        return tensor

    with pytest.raises(UnsupportedTensorError, match="no memory that a kernel could use"):
        torch.vmap(call)(torch.zeros(2, 3))


def test_a_refused_tensor_never_has_the_signature_of_a_good_one() -> None:
    good = torch.zeros(3)
    for case in ("meta", "negated"):
        tensor = REFUSED[case][0]()
        plain = torch.zeros_like(tensor, device="cpu").as_strided(tensor.shape, (0,) * tensor.dim())
        assert ADAPTOR.signature(tensor) != ADAPTOR.signature(plain)
    assert ADAPTOR.signature(torch.empty(3, device="meta")) != ADAPTOR.signature(good)
    lazily = make_lazily_negated()
    same = torch.zeros(6)[::2]
    assert (lazily.shape, lazily.stride(), lazily.dtype) == (same.shape, same.stride(), same.dtype)
    assert ADAPTOR.signature(lazily) != ADAPTOR.signature(same)


def test_a_write_that_autograd_must_know_is_an_error_in_backward_instead_of_a_wrong_gradient() -> None:
    weight = torch.ones(3, requires_grad=True)
    saved = torch.full((3,), 2.0)
    loss = (weight * saved).sum()
    write_raw(saved, 100.0)
    ADAPTOR.after_launch(saved, 0, written=True)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_the_inline_note_bumps_every_written_tensor() -> None:
    one, two = torch.zeros(2), torch.zeros(2)
    before = one._version, two._version
    eval(ADAPTOR.inline.written.format(xs="a, b"), {**ADAPTOR.inline.names, "a": one, "b": two})
    assert (one._version, two._version) == (before[0] + 1, before[1] + 1)


def test_a_read_bumps_nothing() -> None:
    tensor = torch.zeros(2)
    before = tensor._version
    ADAPTOR.after_launch(tensor, 0, written=False)
    assert tensor._version == before


def test_a_recorded_tensor_can_be_read_but_written_only_without_recording() -> None:
    leaf = torch.zeros(3, requires_grad=True)
    for tensor in (leaf, leaf * 2):
        ADAPTOR.before_launch(tensor, 0, written=False)
        with pytest.raises(UnsupportedTensorError, match=r"pass tensor.detach\(\), or call under torch.no_grad\(\)"):
            ADAPTOR.before_launch(tensor, 0, written=True)
        with torch.no_grad():
            ADAPTOR.before_launch(tensor, 0, written=True)
        ADAPTOR.before_launch(tensor.detach(), 0, written=True)


def test_recording_shows_in_the_signature() -> None:
    leaf = torch.zeros(3, requires_grad=True)
    recorded = ADAPTOR.signature(leaf)
    with torch.no_grad():
        assert ADAPTOR.signature(leaf) != recorded
        assert ADAPTOR.signature(leaf) == ADAPTOR.signature(torch.zeros(3))


def test_the_current_stream_of_the_cpu_is_the_default() -> None:
    assert ADAPTOR.current_stream(DeviceRef(1, 0)) == 0


class OnDevice:
    """Stands for a tensor of a GPU."""

    is_cuda, device = True, torch.device("cuda:1")

    def __init__(self) -> None:
        self.streams: list[object] = []

    def get_device(self) -> int:
        return 1

    def record_stream(self, stream: object) -> None:
        self.streams.append(stream)


def test_memory_is_kept_for_a_stream_that_is_not_the_current_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TorchAdaptor, "current_stream", lambda self, device: 7)
    monkeypatch.setattr(torch.cuda, "ExternalStream", lambda stream, device: (stream, device.index))
    tensor = OnDevice()
    ADAPTOR.after_launch(tensor, 7, written=False)
    ADAPTOR.after_launch(tensor, 9, written=False)
    assert tensor.streams == [(9, 1)]


def test_work_of_a_block_goes_to_a_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    with ADAPTOR.on_stream(7):
        pass  # without a GPU nothing has streams

    class Stream:
        def __init__(self, handle: object) -> None:
            self.handle = handle

    def use(stream: Stream) -> Any:
        return contextlib.nullcontext(stream.handle)

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "Stream", Stream)
    monkeypatch.setattr(torch.cuda, "ExternalStream", Stream)
    monkeypatch.setattr(torch.cuda, "default_stream", lambda: Stream("default"))
    monkeypatch.setattr(torch.cuda, "stream", use)
    for stream, handle in ((Stream(5), 5), (7, 7), (0, "default"), (None, None), ("text", None)):
        with ADAPTOR.on_stream(stream) as chosen:
            assert chosen == handle


def test_a_capture_is_that_of_the_current_stream_of_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: True)
    monkeypatch.setattr(torch.cuda, "device", lambda ordinal: contextlib.nullcontext())
    kinds = (DeviceKind.CPU, DeviceKind.CUDA, DeviceKind.ROCM, DeviceKind.METAL)
    assert [ADAPTOR.is_capturing(DeviceRef(kind, 0)) for kind in kinds] == [False, True, True, False]


def test_only_what_torch_traces_with_has_a_recorder() -> None:
    with FakeTensorMode() as mode:
        assert ADAPTOR.recorder(mode.from_tensor(torch.zeros(2))) is not None
    for tensor in (torch.zeros(2), torch.nn.Parameter(torch.zeros(2)), torch.zeros(2, device="meta")):
        assert ADAPTOR.recorder(tensor) is None


def test_devices_have_the_numbers_of_dlpack() -> None:
    assert device_of("cpu", -1) == DeviceRef(1, 0)
    assert device_of("cuda", 2).ordinal == 2
    with pytest.raises(UnsupportedTensorError, match="device 'meta' cannot be passed"):
        device_of("meta", 0)


@pytest.mark.parametrize("kind", [DeviceKind.CUDA, DeviceKind.ROCM])
def test_the_current_stream_of_a_gpu_is_its_handle(kind: DeviceKind, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adaptor, "_raw_stream", lambda ordinal: 100 + ordinal)
    assert ADAPTOR.current_stream(DeviceRef(kind, 3)) == 103
    monkeypatch.setattr(adaptor, "_raw_stream", None)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda ordinal: SimpleNamespace(cuda_stream=200 + ordinal))
    assert ADAPTOR.current_stream(DeviceRef(kind, 3)) == 203
    assert ADAPTOR.current_stream(DeviceRef(DeviceKind.CPU)) == 0
