"""Barriers keep the caches where nothing but LDS was written before them."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from flydsl.backend.pipeline import FLY_PIPELINE
from flydsl.toolchain.select import default_toolchain
from flydsl_rocm.backend import RocmBackend

Kernel = Callable[..., str]
ARGUMENTS = "%p: !fly.ptr<f32, global>, %l: !fly.ptr<f32, shared>, %b: i1, %n: index, %q: !llvm.ptr<1>"
BARRIER = '"gpu.barrier"() : () -> ()\n'
STORE = "fly.ptr.store(%x, %p) : (f32, !fly.ptr<f32, global>) -> ()\n"
STORE_TO_LDS = "fly.ptr.store(%x, %l) : (f32, !fly.ptr<f32, shared>) -> ()\n"
LOAD = "%v = fly.ptr.load(%p) : (!fly.ptr<f32, global>) -> f32\n"
FENCE = '"llvm.fence"() <{ordering = 5 : i64, syncscope = "workgroup"}> : () -> ()\n'
ATOMIC_LOAD = '%v = "llvm.load"(%q) <{ordering = 2 : i64, alignment = 4 : i64}> : (!llvm.ptr<1>) -> i32\n'


@pytest.fixture
def lower(after: Callable[..., str]) -> Callable[..., str]:
    """The text of a module with Fly lowered, and, unless `relaxed` is false, its barriers relaxed."""

    def lowered(text: str, *, relaxed: bool = True) -> str:
        names = ["convert-fly-to-rocdl", "rocdl-relax-barriers"][: 1 + relaxed]
        return after(text, *FLY_PIPELINE, *names, "canonicalize")

    return lowered


def loop(body: str) -> str:
    return f"%one = arith.constant 1 : index\nscf.for %i = %one to %n step %one {{\n{body}}}\n"


def either(body: str) -> str:
    return f"scf.if %b {{\n{body}}}\n"


@pytest.mark.parametrize(
    ("body", "relaxed"),
    [
        (BARRIER + STORE, [True]),
        (STORE_TO_LDS + BARRIER + LOAD + STORE, [True]),
        (LOAD + BARRIER + STORE + BARRIER, [True, False]),
        (STORE + BARRIER, [False]),
        (either(STORE) + BARRIER, [False]),
        (either(STORE_TO_LDS) + BARRIER, [True]),
        (loop(BARRIER + STORE_TO_LDS), [True]),
        (loop(BARRIER + STORE), [False]),
        (either(BARRIER + STORE), [True]),
        (FENCE + BARRIER, [False]),
        (ATOMIC_LOAD + BARRIER, [False]),
    ],
)
def test_a_barrier_is_for_lds_until_memory_is_written(
    kernel: Kernel, lower: Callable[..., str], body: str, relaxed: list[bool]
) -> None:
    text = lower(kernel(ARGUMENTS, f"%x = arith.constant 1.0 : f32\n{body}"))
    found = re.findall(r"gpu\.barrier|rocdl\.s\.barrier", text)
    assert [name == "rocdl.s.barrier" for name in found] == relaxed
    assert text.count('llvm.mmra = #llvm.mmra_tag<"amdgpu-synchronize-as":"local">') == sum(relaxed)


def test_barriers_of_cdna_stay(kernel: Kernel, lower: Callable[..., str]) -> None:
    assert "rocdl.s.barrier" not in lower(kernel(ARGUMENTS, BARRIER), relaxed=False)


@pytest.mark.parametrize(("arch", "invalidation"), [("gfx1100", "buffer_gl0_inv"), ("gfx1201", "global_inv")])
def test_caches_are_kept(kernel: Kernel, lower: Callable[..., str], arch: str, invalidation: str) -> None:
    backend, toolchain = RocmBackend(), default_toolchain()
    for body, kept in ((STORE_TO_LDS + BARRIER + STORE, True), (STORE + BARRIER + STORE, False)):
        text = lower(kernel(ARGUMENTS, f"%x = arith.constant 1.0 : f32\n{body}"))
        code = backend.emit_code_object(text, arch=arch, toolchain=toolchain)
        assert (invalidation in backend.disassemble(code, arch=arch, toolchain=toolchain)) != kept
