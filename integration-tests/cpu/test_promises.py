"""The session that takes promises to LLVM away: what it strips, and that it tells which one does not hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.examples import load_example
from support.promises import session as sessions
from support.promises.cases import Case, arrays
from support.promises.rules import PROMISES, Promise
from support.promises.session import Row, Session, difference, table, uncarried

STRIPPED = {
    "parallel accesses": ("  store i32 %1, ptr %2, align 4, !llvm.access.group !3", "  store i32 %1, ptr %2, align 4"),
    "no signed overflow": ("  %1 = add nuw nsw i32 %2, %3", "  %1 = add i32 %2, %3"),
    "addresses within an object": (
        "  %1 = getelementptr inbounds nuw i8, ptr %2, i64 4",
        "  %1 = getelementptr i8, ptr %2, i64 4",
    ),
    "alignment of accesses": ("  %1 = load <4 x float>, ptr %2, align 16", "  %1 = load <4 x float>, ptr %2, align 1"),
    "ranges of numbers": ("  %1 = call noundef range(i32 0, 64) i32 @f()", "  %1 = call i32 @f()"),
    "size of a block": (
        'attributes #0 = { "amdgpu-flat-work-group-size"="64,64" "uniform-work-group-size"="true" }',
        'attributes #0 = { "amdgpu-flat-work-group-size"="1,1024" }',
    ),
    "no NaN, infinity or sign of zero": ("  %1 = fadd nnan contract float %2, %3", "  %1 = fadd contract float %2, %3"),
    "values that nobody reads": ("  %1 = phi float [ poison, %2 ]", "  %1 = phi float [ zeroinitializer, %2 ]"),
    "scopes of synchronisation": ('  fence syncscope("workgroup") release', "  fence release"),
    "order of atomics": ("  fence release, !mmra !1", "  fence seq_cst, !mmra !1"),
    "assembly without effects": (
        '  %1 = call i32 asm "x", "=v,v"(i32 %2)',
        '  %1 = call i32 asm sideeffect "x", "=v,v"(i32 %2)',
    ),
    "arguments of a kernel": ("define void @k(ptr noalias nonnull readonly %0) {", "define void @k(ptr %0) {"),
}
LEFT = ("  %1 = load atomic i32, ptr %2 monotonic, align 4", "@a = global i32 0, align 4", "attributes #1 = { nsw }")


@pytest.mark.parametrize("name", STRIPPED)
def test_a_rule_takes_its_promise_out_of_a_line(name: str) -> None:
    (rule,) = (promise.strip for promise in PROMISES if promise.name == name)
    assert rule is not None
    before, after = STRIPPED[name]
    assert rule(before) == after == rule(after)


def test_the_alignment_of_atomics_and_of_memory_stays() -> None:
    (rule,) = (promise.strip for promise in PROMISES if promise.name == "alignment of accesses")
    assert rule is not None
    assert [rule(line) for line in LEFT] == list(LEFT)


def added(seed: int) -> Case:
    def prepare() -> tuple[Any, tuple[Any, ...]]:
        x, y = np.random.default_rng(seed).standard_normal((2, 40, 41)).astype(np.float32)
        return load_example("01_vector_add").vector_add, (x, y, np.zeros_like(x))

    return Case("a sum", prepare)


def test_what_differs_is_told_of_the_promise_that_does_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule that makes sums differences stands for a promise that does not hold."""
    broken = Promise("broken", lambda text: text.replace(" fadd ", " fsub "))
    monkeypatch.setattr(sessions, "PROMISES", (*PROMISES[3:5], broken))
    session = Session("cpu", "cpu")
    session.look_at(added(3))
    rows = list(session.rows.values())
    assert [row.promise for row in rows if row.differences] == ["broken"]
    (row,) = (row for row in rows if row.differences)
    assert (row.tried, row.carried) == (1, 1)
    assert row.differences == ["a sum: 1640 of 1640 numbers of array 2 differ"]
    assert "without 'broken' on cpu: a sum: 1640 of 1640" in table(rows)


def test_code_that_is_not_made_is_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "PROMISES", (Promise("broken", lambda text: text.replace(" fadd ", " fmad ")),))
    session = Session("cpu", "cpu")
    session.look_at(added(3))
    ((text,),) = (row.differences for row in session.rows.values())
    assert "the input is not LLVM IR" in text


def test_results_are_compared_by_their_type() -> None:
    x = np.array([1.0, np.nan, np.inf], np.float32)
    assert difference([x], [x.copy()], 0.0) == ""
    assert difference([x], [x + np.float32(1e-6)], 0.0) == "1 of 3 numbers of array 0 differ"
    assert difference([x], [x + np.float32(1e-6)], 1e-5) == ""
    assert difference([np.arange(3)], [np.array([0, 1, 3])], 1.0) == "1 of 3 numbers of array 0 differ"


def test_promises_that_no_kernel_carries_are_named() -> None:
    rows = [Row("one", "cpu", 3), Row("two", "cpu", 3), Row("two", "gfx942", 3, carried=1)]
    assert uncarried(rows) == ["one"]
    assert "no kernel carried: one" in table(rows)


def test_arrays_are_those_of_marked_arguments_too(tmp_path: Path) -> None:
    import flydsl.compiler as flyc

    x, y = np.zeros(4, np.float32), np.zeros(8, np.float32)
    assert [found.size for found in arrays((x, 3, flyc.from_dlpack(y)))] == [4, 8]
