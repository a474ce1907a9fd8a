"""Shared memory of large kernels in one dynamic block: places, alignments, what stays, what does not fit."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from flydsl.base.errors import CompileError
from flydsl.toolchain.select import default_toolchain
from flydsl_cuda.backend import CudaBackend
from flydsl_cuda.code_object import CodeObject, shared_blocks

Kernel = Callable[..., str]
Lower = Callable[..., str]
Ptx = Callable[..., str]
ALLOCATION = """
  %s{n} = fly.make_ptr() {{dictAttrs = {{allocBytes = {bytes} : i64, allocAlign = {align} : i64}}}}
    : () -> !fly.ptr<i32, shared>
  fly.ptr.store(%c, %s{n}) : (i32, !fly.ptr<i32, shared>) -> ()
  %x{n} = fly.ptr.load(%s{n}) : (!fly.ptr<i32, shared>) -> i32
  fly.ptr.store(%x{n}, %p) : (i32, !fly.ptr<i32, global>) -> ()
"""
DYNAMIC = """
  %d = fly.get_dyn_shared() : () -> !fly.ptr<i32, shared, align<4>>
  %x = fly.ptr.load(%d) : (!fly.ptr<i32, shared, align<4>>) -> i32
  fly.ptr.store(%x, %p) : (i32, !fly.ptr<i32, global>) -> ()
"""


def body(*allocations: tuple[int, int], dynamic: bool = False) -> tuple[str, str]:
    """Arguments and body of a kernel with allocations of so many bytes and such an alignment."""
    parts = [ALLOCATION.format(n=n, bytes=size, align=align) for n, (size, align) in enumerate(allocations)]
    constant = "%c = fly.ptr.load(%p) : (!fly.ptr<i32, global>) -> i32"
    return "%p: !fly.ptr<i32, global>", "\n".join([constant, *parts, DYNAMIC * dynamic])


def places(text: str) -> list[str]:
    """Where the stores to shared memory go."""
    return re.findall(r"st\.shared\.b32\s+\[(.*?)\]", text)


def test_48_kilobytes_stay_static(kernel: Kernel, ptx: Ptx, lower: Lower) -> None:
    module = kernel(*body((32 << 10, 1024), (16 << 10, 16)))
    text = ptx(module)
    assert ".extern" not in text
    assert text.count(".shared .align") == 2
    assert shared_blocks(lower(module)) == {}


def test_more_is_one_dynamic_block_of_aligned_parts(kernel: Kernel, ptx: Ptx, lower: Lower) -> None:
    module = kernel(*body((20, 4), (32 << 10, 1024), (8, 8), (20001, 1024)))
    text = ptx(module)
    assert re.findall(r"\.shared \.align \d+ .*", text) == [".shared .align 1024 .b8 __dynamic_shared_0[];"]
    second, third = 32 << 10, (32 << 10) + 20008
    assert [int(place.partition("+")[2] or 0) for place in places(text)] == [third + 8, 0, third, second]
    assert shared_blocks(lower(module)) == {"k": 52816}


def test_memory_of_the_launch_follows(kernel: Kernel, ptx: Ptx, lower: Lower) -> None:
    module = kernel(*body((50001, 128), dynamic=True))
    size = shared_blocks(lower(module))["k"]
    assert size == 50016
    assert f"[__dynamic_shared_0+{size}]" in ptx(module)


def test_more_than_the_chip_has_is_an_error_that_names_the_kernel(kernel: Kernel, lower: Lower) -> None:
    message = "kernel 'k' allocates 262144 bytes of shared memory, and the chip has at most"
    with pytest.raises(CompileError, match=message):
        lower(kernel(*body((128 << 10, 16), (128 << 10, 16))))


def test_the_code_object_says_what_a_launch_needs(kernel: Kernel, lower: Lower) -> None:
    backend, toolchain = CudaBackend(), default_toolchain()
    code = backend.emit_code_object(lower(kernel(*body((64 << 10, 16)))), arch="sm_90a", toolchain=toolchain)
    assert CodeObject.from_bytes(code).shared_blocks == {"k": 64 << 10}
    if CodeObject.from_bytes(code).cubin:
        (report,) = backend.code_report(code, kernels=["k"], arch="sm_90a", toolchain=toolchain)
        assert report.memory["shared"] == 64 << 10
