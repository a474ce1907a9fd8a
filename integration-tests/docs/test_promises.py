"""The page of promises names each flag, attribute, ordering and kind of metadata that LLVM IR of kernels holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.promises.cases import listed
from support.promises.rules import PROMISES
from support.promises.words import promising_words
from support.random_arithmetic import prepared

PAGE = (Path(__file__).resolve().parents[2] / "docs/explanation/promises.md").read_text()
ROOT = Path(__file__).resolve().parents[2]
ARCHS = {"cpu": ["x86-64-v4"], "rocm": ["gfx942", "gfx1100", "gfx1250"], "cuda": ["sm_90a"]}


def rows(title: str) -> list[list[str]]:
    """The cells of the table below a heading."""
    section = PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[1:]]


SWITCHED, OTHERS = rows("Promises that the session switches off"), rows("Promises that are not switched off")
NAMED = {word for name in re.findall(r"`([^`]+)`", PAGE) for word in name.split()}


@pytest.mark.parametrize(("backend", "arch"), [(backend, arch) for backend, archs in ARCHS.items() for arch in archs])
def test_llvm_ir_holds_no_promise_that_the_page_lacks(
    backend: str, arch: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", backend)
    found, few = set(), slice(None, None, 1 if backend == "cpu" else 2)  # each is compiled
    for function, arguments in (*list(listed().values())[few], prepared(3, tmp_path)):
        found |= promising_words(function.trace(*arguments, backend=backend, arch=arch).lower().llvm_ir())
    assert {"nsw", "align", "poison"} < found
    assert found - NAMED == set()


def test_the_page_has_the_promises_that_the_session_switches_off() -> None:
    names = [re.split(r": `|: reductions|: the `", cells[0])[0] for cells in SWITCHED]
    assert sorted(names) == sorted(promise.name for promise in PROMISES)


@pytest.mark.parametrize("cells", [*SWITCHED, *OTHERS], ids=lambda cells: cells[0][:40])
def test_every_promise_names_a_test_that_exists(cells: list[str]) -> None:
    paths = [name for name in re.findall(r"`([\w./-]+\.py)`", cells[-1]) if "/" in name]
    assert paths
    assert [name for name in paths if not (ROOT / name).exists()] == []


def test_words_are_found_where_kernels_have_them() -> None:
    text = """
define void @k(ptr noalias %0) #0 {
  %2 = load i32, ptr %0, align 4, !invariant.load !1
  %3 = add nsw i32 %2, 1
  %4 = call i32 @nsw.exact(i32 %3)
  store i32 %4, ptr %0, align 4
  ret void
}
declare i32 @nsw.exact(i32) #1
attributes #0 = { nounwind "some-thing"="true" }
attributes #1 = { willreturn }
!1 = !{}
"""
    assert promising_words(text) == {"noalias", "align", "!invariant.load", "nsw", "nounwind", "some-thing"}
