"""Atomics: the fences of their ordering, and what they say of their scope."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Kernel = Callable[..., str]
Ptx = Callable[..., str]
Stored = Callable[..., tuple[str, str]]
OUT = "!fly.ptr<i32, global>"


ORDERINGS = [
    (2, []),
    (4, ["atom", "fence.acquire|fence.acq_rel"]),
    (5, ["fence.release|fence.acq_rel", "atom"]),
    (6, ["fence.release|fence.acq_rel", "atom", "fence.acquire|fence.acq_rel"]),
    (7, ["fence.sc", "atom", "fence.acquire|fence.acq_rel"]),
]


@pytest.mark.parametrize(("ordering", "expected"), ORDERINGS)
@pytest.mark.parametrize(("scope", "suffix"), [("agent", "gpu"), ("workgroup", "cta"), ("", "sys")])
def test_atomics_have_the_fences_of_their_ordering(
    kernel: Kernel, ptx: Ptx, ordering: int, expected: list[str], scope: str, suffix: str, stored: Stored
) -> None:
    stated = f', syncscope = "{scope}"' if scope else ""
    body = f"""
      %one = arith.constant 1 : i32
      %a = fly.to_llvm_ptr(%p) : ({OUT}) -> !llvm.ptr<1>
      %v = "llvm.atomicrmw"(%a, %one) {{bin_op = 1 : i64, ordering = {ordering} : i64{stated}}}
        : (!llvm.ptr<1>, i32) -> i32
    """
    lines = [line.strip() for line in ptx(kernel(*stored(body))).splitlines()]
    found = [line for line in lines if line.startswith(("atom", "fence"))]
    for line, spellings in zip(found, expected or ["atom"], strict=True):
        assert line.startswith(tuple(spellings.split("|"))), found
        is_plain = line.startswith("atom.global")  # whose scope is the device
        assert f".{suffix}" in line or (suffix != "sys" and is_plain), found


@pytest.mark.parametrize(
    ("kind", "type_", "instruction"),
    [
        (0, "f32", "exch.b32"),
        (1, "i64", "add.u64"),
        (2, "i32", "add.u32"),
        (7, "i32", "max.s32"),
        (9, "i64", "max.u64"),
        (11, "f64", "add.f64"),
        (12, "f32", "add.f32"),
        (15, "i32", "inc.u32"),
    ],
)
def test_atomics_for_the_whole_system_say_so(
    kernel: Kernel, ptx: Ptx, kind: int, type_: str, instruction: str, stored: Stored
) -> None:
    body = f"""
      %x = fly.ptr.load(%p) : (!fly.ptr<{type_}, global>) -> {type_}
      %a = fly.to_llvm_ptr(%p) : (!fly.ptr<{type_}, global>) -> !llvm.ptr<1>
      %v = "llvm.atomicrmw"(%a, %x) {{bin_op = {kind} : i64, ordering = 2 : i64}} : (!llvm.ptr<1>, {type_}) -> {type_}
    """
    generic = body.replace("!llvm.ptr<1>", "!llvm.ptr")  # as `fx.atomic_add` has it
    for text in (ptx(kernel(*stored(given, type_=type_))) for given in (generic, body)):
        assert f"atom.relaxed.sys.global.{instruction} " in text
    assert any(word in text for word in ("neg.", "sub.", "xor.")) == (kind in (2, 12)), text
