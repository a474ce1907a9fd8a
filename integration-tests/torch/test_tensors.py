"""Kernels on torch tensors: right numbers, and autograd never silently wrong."""

import threading

import pytest
import torch
from support.kernels import scale

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import UnsupportedTensorError


@flyc.kernel
def add_kernel(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, n: fx.Int32):
    i = fx.block_idx.x * 64 + fx.thread_idx.x
    if i < n:
        c[i] = a[i] + b[i]


@flyc.jit
def add(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, n: fx.Int32):
    add_kernel(a, b, c, n).launch(grid=((n + 63) // 64, 1, 1), block=(64, 1, 1))


def test_strided_tensors_of_any_length_give_the_sum():
    for length in (1, 63, 64, 257):
        a, b, c = torch.randn(2 * length)[::2], torch.randn(length, 3)[:, 1], torch.zeros(length)
        add(a, b, c, length)
        assert torch.equal(c, a + b)


def test_each_launch_bumps_the_version_of_what_it_writes_only():
    a, b, c = torch.randn(8), torch.randn(8), torch.zeros(8)
    before = [tensor._version for tensor in (a, b, c)]
    for launches in (1, 2, 3):
        add(a, b, c, 8)
        assert [tensor._version for tensor in (a, b, c)] == [before[0], before[1], before[2] + launches]


def test_writing_a_tensor_saved_for_backward_is_an_error_in_backward():
    weight, saved = torch.ones(8, requires_grad=True), torch.randn(8)
    loss = (weight * saved).sum()
    add(torch.ones(8), torch.ones(8), saved, 8)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_a_tensor_that_requires_a_gradient_is_written_only_without_recording():
    a, leaf = torch.randn(8), torch.zeros(8, requires_grad=True)
    for _ in range(2):
        with pytest.raises(UnsupportedTensorError, match=r"argument 'c': .* or call under torch.no_grad"):
            add(a, a, leaf, 8)
        with torch.no_grad():
            add(a, a, leaf, 8)
        assert torch.equal(leaf.detach(), a + a)


def test_a_recorded_tensor_can_be_read():
    a, c = torch.randn(8, requires_grad=True), torch.zeros(8)
    add(a, a, c, 8)
    assert torch.equal(c, (a + a).detach())


def test_a_tensor_that_only_looks_the_same_is_never_launched_with_the_code_of_a_good_one():
    good, c = torch.randn(6)[::2], torch.zeros(3)
    add(good, good, c, 3)
    negated = torch.view_as_complex(torch.randn(3, 2)).conj().imag
    assert (negated.shape, negated.stride(), negated.dtype) == (good.shape, good.stride(), good.dtype)
    with pytest.raises(UnsupportedTensorError, match=r"argument 'a': .*resolve_neg"):
        add(negated, good, c, 3)
    with pytest.raises(UnsupportedTensorError, match="argument 'b': a meta tensor has no data"):
        add(good, torch.empty(6, device="meta")[::2], c, 3)


def test_after_many_calls_each_other_tensor_is_told_apart():
    """Once the tensors of a call are compared as a whole, none is taken for what it is not."""
    a, c = torch.randn(6), torch.zeros(6)
    for _ in range(4):
        add(a, a, c, 6)
    recorded, other = torch.randn(6, requires_grad=True), torch.zeros(6)
    refused = {
        "requires a gradient": lambda: add(a, a, recorded, 6),
        "resolve_neg": lambda: add(torch._neg_view(a), a, c, 6),
        "a meta tensor": lambda: add(a, torch.empty(6, device="meta"), c, 6),
        "is expanded": lambda: add(a, a, torch.zeros(1).expand(6), 6),
        "has no memory": lambda: add(torch.vmap(lambda t: t)(a), a, hollow(c), 6),
    }
    for _ in range(3):
        for message, call in refused.items():
            with pytest.raises(UnsupportedTensorError, match=message):
                call()
        for x in (a, a.double(), a.int(), torch.randn(12)[::2], torch.randn(6, 2)[:, 0], recorded, a[:5]):
            y = torch.zeros(12, dtype=x.dtype)[::2] if x.stride() == (2,) else torch.zeros_like(x, requires_grad=False)
            before = y._version
            add(x, x, y, x.numel())
            assert torch.equal(y, (x + x).detach())
            assert y._version == before + 1
        with torch.no_grad():
            add(a, a, recorded, 6)
        with torch.inference_mode():
            add(a, a, other, 6)
        assert torch.equal(recorded.detach(), a + a)
        assert torch.equal(other, a + a)


def hollow(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor like another one, whose storage was given up."""
    found = tensor.clone()
    found.untyped_storage().resize_(0)
    return found


def test_parameters_are_tensors():
    a, c = torch.nn.Parameter(torch.randn(8)), torch.zeros(8)
    add(a, a, c, 8)
    assert torch.equal(c, (a + a).detach())


def test_torch_and_numpy_share_memory_and_code():
    a, c = torch.randn(8), torch.zeros(8)
    add(a.numpy(), a, c.numpy(), 8)
    assert torch.equal(c, a + a)


def test_threads_share_one_function():
    a = [torch.randn(100) for _ in range(16)]
    c = [torch.zeros(100) for _ in range(16)]
    barrier = threading.Barrier(16)

    def work(index: int) -> None:
        barrier.wait()
        for _ in range(50):
            add(a[index], a[index], c[index], 100)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(torch.equal(result, value + value) for result, value in zip(c, a, strict=True))


def test_a_torch_tensor_with_a_static_layout_is_an_argument_of_its_own() -> None:
    x, y = torch.randn(37), torch.zeros(37)
    for _ in range(2):
        scale(flyc.from_torch_tensor(x), flyc.from_torch_tensor(y, assumed_align=4), 3.0, 37)
        torch.testing.assert_close(y, x * 3)


def test_an_expanded_output_is_refused() -> None:
    x = torch.randn(8)
    with pytest.raises(UnsupportedTensorError, match="argument 'y': the tensor has stride 0 in mode 0"):
        scale(x, torch.zeros(1).expand(8), 3.0, 8)


@flyc.kernel
def invert_kernel(a: fx.Tensor, b: fx.Tensor):
    i = fx.thread_idx.x
    b[i] = ~a[i]


@flyc.jit
def invert(a: fx.Tensor, b: fx.Tensor):
    invert_kernel(a, b).launch(grid=1, block=a.shape[0])


def test_boolean_tensors_hold_truth_values():
    a, b = torch.arange(33) % 3 == 0, torch.zeros(66, dtype=torch.bool)[::2]
    invert(a, b)
    assert torch.equal(b, ~a)
    invert(flyc.from_dlpack(b), flyc.from_dlpack(a))
    assert torch.equal(a, ~b)
