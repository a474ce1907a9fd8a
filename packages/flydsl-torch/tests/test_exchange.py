"""What is read of a torch tensor besides DLPack's description, and only where it is seen to be there."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import pytest
import torch

from flydsl.plugins import DType
from flydsl.torch import exchange
from flydsl.torch.adaptor import TorchAdaptor
from flydsl.torch.exchange import dispatch_keys, exchange_read, refused_keys, watches


def keys_of(tensor: torch.Tensor) -> int:
    """As the native reader finds them."""
    found = dispatch_keys()
    assert found is not None
    address, word = found
    implementation = ctypes.c_uint64.from_address(id(tensor) + address).value
    return ctypes.c_uint64.from_address(implementation + word).value


def test_the_dispatch_keys_of_any_tensor_are_found() -> None:
    plain = torch.randn(4, 5)
    tensors = [plain, plain.t(), plain.double(), plain.to_sparse(), torch._neg_view(plain), plain.to("meta")]
    tensors += [plain.clone().requires_grad_(), torch.nn.Parameter(plain), plain.to_mkldnn(), torch.zeros(())]
    for tensor in tensors:
        assert keys_of(tensor) == torch._C._dispatch_keys(tensor).raw_repr()


def test_a_negated_tensor_is_told_from_a_plain_one() -> None:
    plain = torch.randn(4, 5)
    assert keys_of(plain) == keys_of(torch.zeros(3))
    for tensor in (torch._neg_view(plain), torch.zeros(3, dtype=torch.complex64).conj().imag):
        assert keys_of(tensor) != keys_of(plain)


def samples_of(first: torch.Tensor, *others: torch.Tensor) -> Iterator[torch.Tensor]:
    yield from (first, *others, first, first)


def test_keys_that_do_not_tell_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = torch.zeros(3)
    monkeypatch.setattr(exchange, "_samples", lambda: samples_of(plain, torch.ones(3)))
    assert dispatch_keys() is None


def test_a_torch_that_keeps_them_elsewhere_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "_word", lambda address: 0)
    assert dispatch_keys() is None
    assert exchange_read.__wrapped__(print) is None


def test_a_torch_that_does_not_say_whether_it_watches_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "_IS_INCLUDED", "no_such_function")
    assert watches() is None
    assert exchange_read.__wrapped__(print) is None


@pytest.mark.filterwarnings("ignore")
def test_tensors_of_other_kinds_are_told_before_they_are_asked() -> None:
    plain, refused = torch.randn(4, 5), refused_keys()
    dense = [
        plain,
        plain.t(),
        plain.double(),
        plain.clone().requires_grad_(),
        torch.nn.Parameter(plain),
        torch.zeros(()),
    ]
    others = [plain.to_sparse(), plain.to_sparse_csr(), plain.to_mkldnn(), plain.to("meta"), torch._neg_view(plain)]
    others += [torch.nested.nested_tensor([plain]), torch.quantize_per_tensor(plain, 1.0, 0, torch.qint8)]
    assert not any(keys_of(tensor) & refused for tensor in dense)
    assert all(keys_of(tensor) & refused for tensor in others)


def test_a_read_names_what_dlpack_does_not_tell() -> None:
    read = TorchAdaptor().native_read(torch.Tensor)
    assert read is not None
    assert read == TorchAdaptor().native_read(torch.nn.Parameter)
    assert (read.never_written, read.shared) == (("requires_grad",), (DType(0, 8), DType(1, 8)))
    tensor = torch.zeros(3)
    before = tensor._version
    assert read.written is not None
    read.written((tensor,))
    assert tensor._version == before + 1


def test_subclasses_are_not_read() -> None:
    class Sub(torch.Tensor):
        pass

    assert TorchAdaptor().native_read(Sub) is None
