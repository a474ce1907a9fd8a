"""The tensor adaptor for torch: descriptions of tensors, and notes to autograd of what a launch wrote.

A kernel writes behind autograd's back: without the bump of the version counter, a backward pass that saved the tensor
silently gives wrong gradients.
"""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import cached_property
from typing import Any

import torch
from torch.autograd import forward_ad

from flydsl.backend.frameworks import DTYPES, with_article
from flydsl.base.errors import UnsupportedTensorError
from flydsl.plugins import CallRecorder, DeviceKind, DeviceRef, DType, ExchangeRead, Inline, TensorAdaptor, TensorDesc
from flydsl.torch.interception import install, note_libraries
from flydsl.torch.recording import lacks_derivative, refuse_tangent
from flydsl.torch.watching import is_traced, is_watched, unwatched

_grad_enabled = torch.is_grad_enabled
_increment_version = torch._C._increment_version
_raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None)  # 4 us faster; not in builds for the CPU
_CUDA, _ROCM = int(DeviceKind.CUDA), int(DeviceKind.ROCM)  # members of an enumeration are slow to hash

# Asked about a nested tensor, torch's guards end the process. What modes and forward derivatives see is an operator.
_INLINE = Inline(
    pointer="{x}.data_ptr()",
    shape="{x}.shape",
    strides="{x}.stride()",
    # is_cpu tells a meta tensor from a real one; what requires a gradient must not be written while it is recorded
    signature=(
        "{x}.dtype",
        "{x}.shape",
        "{x}.stride()",
        "{x}.get_device()",
        "{x}.is_cpu",
        "{x}.is_neg()",
        "{x}.requires_grad and torch_grad_enabled()",
        "torch_is_watched()",
    ),
    unserved=(
        "{x}.is_nested",
        "torch_mode_depth() or torch_forward_ad['_current_level'] >= 0",
    ),
    written="torch_increment_version([{xs}])",
    names={
        "torch_grad_enabled": _grad_enabled,
        "torch_increment_version": _increment_version,
        "torch_forward_ad": vars(forward_ad),
        "torch_is_watched": is_watched,
        "torch_mode_depth": torch._C._len_torch_dispatch_stack,
    },
)


class TorchAdaptor(TensorAdaptor):
    """Dense tensors in host or device memory."""

    name = "torch"

    def __init__(self) -> None:
        install()
        note_libraries()

    @cached_property
    def inline(self) -> Inline:  # type: ignore[override]  # settable, as the attribute is
        """Expressions, and torch's own guards where they tell apart what must be told apart: a test of 1 ms."""
        from flydsl.torch.comparison import tensor_guards  # here: code is looked up without a stub

        with unwatched():
            return replace(_INLINE, matcher=tensor_guards())

    def native_read(self, cls: type[object]) -> ExchangeRead | None:
        """By DLPack, which tells neither that a tensor is negated or recorded, nor dtypes of less than a byte apart."""
        from flydsl.torch.exchange import exchange_read  # here: for launches only

        if cls not in (torch.Tensor, torch.nn.Parameter):
            return None
        with unwatched():
            return exchange_read(_increment_version)

    def describe(self, obj: Any) -> TensorDesc:
        """The tensor's description; UnsupportedTensorError for one that is not plain dense memory."""
        check_form(obj)
        try:
            pointer = obj.data_ptr()
        except RuntimeError as error:  # functorch wrappers and the like
            raise UnsupportedTensorError(
                f"the tensor has no memory that a kernel could use: {error}; inside of torch.vmap and torch.func, call "
                "the kernel through an operator made with flydsl.torch.op"
            ) from error
        if pointer == 0 and obj.numel():
            raise UnsupportedTensorError(f"the tensor ({type(obj).__name__} on {obj.device}) has no data")
        return TensorDesc(
            pointer=pointer,
            shape=tuple(obj.shape),
            strides=obj.stride(),
            dtype=dtype_of(obj.dtype),
            device=_device(obj),
        )

    def signature(self, obj: Any) -> Hashable:
        """dtype, shape, strides, device and what makes a tensor refused."""
        return (
            obj.dtype,
            obj.shape,
            obj.stride(),
            obj.get_device(),
            obj.is_cpu,
            obj.is_neg(),
            obj.requires_grad and _grad_enabled(),
            is_watched(),
        )

    def pointer(self, obj: Any) -> int:
        """Address of the first element."""
        return int(obj.data_ptr())

    def current_stream(self, device: DeviceRef) -> int:
        """The handle of torch's current stream on `device`; 0 on the CPU."""
        kind = device.kind
        if kind != _CUDA and kind != _ROCM:
            return 0
        if _raw_stream is not None:
            return _raw_stream(device.ordinal)  # type: ignore[no-any-return]
        return int(torch.cuda.current_stream(device.ordinal).cuda_stream)

    def on_stream(self, stream: object) -> AbstractContextManager[object]:
        """The block's work in torch goes to a stream of torch, or to that of a handle; 0 is the default stream."""
        if not torch.cuda.is_available():
            return nullcontext()
        if isinstance(stream, int):
            external: Any = torch.cuda.ExternalStream
            stream = external(stream) if stream else torch.cuda.default_stream()
        return torch.cuda.stream(stream) if isinstance(stream, torch.cuda.Stream) else nullcontext()

    def is_capturing(self, device: DeviceRef) -> bool:
        """Whether a graph of the device is being captured on torch's current stream."""
        if device.kind not in (DeviceKind.CUDA, DeviceKind.ROCM):
            return False
        with torch.cuda.device(device.ordinal):
            return bool(torch.cuda.is_current_stream_capturing())

    def recorder(self, obj: Any) -> CallRecorder | None:
        """What makes calls that torch gets to see: with tensors that it traces with, and inside of dispatch modes."""
        if torch._C._get_tracing_state() is not None:
            return _refuse_jit_trace
        if lacks_derivative(obj):
            return refuse_tangent
        if not is_watched() and (type(obj) is torch.Tensor or not is_traced(obj)):
            return None
        from flydsl.torch.graph_calls import record_stand_ins

        return record_stand_ins

    def before_launch(self, obj: Any, stream: int, written: bool) -> None:
        """Refuse to write a tensor that autograd is recording."""
        if written and obj.requires_grad and _grad_enabled():
            raise UnsupportedTensorError(
                "the kernel writes a tensor that requires a gradient, which autograd cannot see: "
                "pass tensor.detach(), or call under torch.no_grad()"
            )

    def after_launch(self, obj: Any, stream: int, written: bool) -> None:
        """Bump the version counter of what was written; keep memory alive for a stream that is not the current one."""
        if written:
            _increment_version([obj])
        if obj.is_cuda and stream != self.current_stream(_device(obj)):
            foreign = torch.cuda.ExternalStream(stream, device=obj.device)  # type: ignore[no-untyped-call]
            obj.record_stream(foreign)


def _refuse_jit_trace(function: Any, args: tuple[Any, ...]) -> None:
    raise UnsupportedTensorError(
        f"torch.jit.trace cannot record the kernels of {function.__name__!r}: use torch.export or torch.compile, or "
        "call them through an operator made with flydsl.torch.op"
    )


def check_form(tensor: Any) -> None:
    """UnsupportedTensorError for a tensor that is not plain dense memory."""
    kind = type(tensor)
    if kind.__torch_dispatch__ is not torch.Tensor.__torch_dispatch__:
        raise UnsupportedTensorError(
            f"{with_article(kind.__name__)} only stands for a tensor: pass a plain torch.Tensor"
        )
    if tensor.is_meta:
        raise UnsupportedTensorError("a meta tensor has no data: move it to a device")
    if tensor.is_nested:
        raise UnsupportedTensorError("a nested tensor is several: pass those of tensor.unbind() one by one")
    if tensor.is_quantized:
        raise UnsupportedTensorError(
            "a quantised tensor has a scale that a kernel would ignore: pass tensor.int_repr()"
        )
    if tensor.layout is not torch.strided:
        raise UnsupportedTensorError(f"a tensor of layout {tensor.layout} is not dense memory: pass tensor.to_dense()")
    if tensor._is_zerotensor():
        raise UnsupportedTensorError("the tensor is a zero without memory: pass tensor.clone()")
    if tensor.is_conj():
        raise UnsupportedTensorError("the tensor is conjugated lazily: pass tensor.resolve_conj()")
    if tensor.is_neg():
        raise UnsupportedTensorError("the tensor is negated lazily: pass tensor.resolve_neg()")


def dtype_of(dtype: torch.dtype) -> DType:
    """The DLPack type of elements; UnsupportedTensorError for one that kernels cannot take."""
    name = str(dtype).removeprefix("torch.")
    found = DTYPES.get(name)
    if found is None or found.bits * found.lanes != 8 * dtype.itemsize:  # int4 and its like take a byte each here
        raise UnsupportedTensorError(f"dtype {dtype} cannot be passed to a kernel")
    return found


def device_of(kind: str, ordinal: int) -> DeviceRef:
    """The DLPack device of torch's device type; UnsupportedTensorError for one that kernels cannot reach."""
    kinds = {
        "cpu": DeviceKind.CPU,
        "cuda": DeviceKind.ROCM if torch.version.hip else DeviceKind.CUDA,
        "xpu": DeviceKind.ONEAPI,
        "mps": DeviceKind.METAL,
    }
    found = kinds.get(kind)
    if found is None:
        raise UnsupportedTensorError(f"a tensor on device {kind!r} cannot be passed to a kernel")
    return DeviceRef(found, max(ordinal, 0))


def _device(tensor: Any) -> DeviceRef:
    return device_of(tensor.device.type, tensor.get_device())
