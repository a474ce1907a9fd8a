"""Bad input raises; it never ends the process."""

from __future__ import annotations

import contextlib
import faulthandler
import signal
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flydsl_mlir
from flydsl_mlir import MlirError

AMDGPU = {"triple": "amdgcn-amd-amdhsa", "chip": "gfx942"}
BYTE_EDITS = st.lists(
    st.tuples(st.floats(0, 1, exclude_max=True), st.sampled_from("sid"), st.binary(min_size=1, max_size=8)),
    min_size=1,
    max_size=12,
)
WORD_EDITS = st.lists(
    st.tuples(st.floats(0, 1, exclude_max=True), st.sampled_from("sid"), st.floats(0, 1, exclude_max=True)),
    min_size=1,
    max_size=6,
)


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(MlirError, match="nest too deeply"):
        flydsl_mlir.run_pipeline('"a.b"() ({' * 100_000, "")


def test_brackets_in_strings_and_comments_do_not_nest() -> None:
    text = f'module attributes {{a.b = "{"(" * 2000}"}} {{}} // {"(" * 2000}\n'
    assert "a.b" in flydsl_mlir.run_pipeline(text, "")


def test_stack_overflow_is_an_exception() -> None:
    text = f"#m = affine_map<(d0) -> ({'d0 + ' * 1_000_000}d0)>\nmodule {{}}"
    with pytest.raises(MlirError, match="crashed with signal 11"):
        flydsl_mlir.run_pipeline(text, "")
    assert flydsl_mlir.run_pipeline("module {}", "cse")


def test_signal_handlers_are_given_back() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGSEGV, signal.SIGABRT)]
    enabled = faulthandler.is_enabled()
    flydsl_mlir.run_pipeline("module {}", "cse")
    assert [signal.getsignal(number) for number in (signal.SIGSEGV, signal.SIGABRT)] == before
    assert faulthandler.is_enabled() == enabled


@settings(max_examples=60, deadline=None)
@given(WORD_EDITS)
def test_damaged_modules(vector_add: str, rocdl_pipeline: str, edits: list[tuple[float, str, float]]) -> None:
    pipeline = rocdl_pipeline.replace("CHIP", "gfx942").replace("FORMAT", "fatbin")
    with contextlib.suppress(MlirError):
        flydsl_mlir.gpu_objects(_edit_words(vector_add, edits), pipeline)


@settings(max_examples=60, deadline=None)
@given(WORD_EDITS)
def test_damaged_host_modules(saxpy: str, edits: list[tuple[float, str, float]]) -> None:
    with contextlib.suppress(MlirError):
        flydsl_mlir.emit_host_object(_edit_words(saxpy, edits))


@settings(max_examples=60, deadline=None)
@given(WORD_EDITS)
def test_damaged_pipelines(vector_add: str, rocdl_pipeline: str, edits: list[tuple[float, str, float]]) -> None:
    spaced = rocdl_pipeline.replace("CHIP", "gfx942").replace("FORMAT", "isa")
    for mark in "(){},=":
        spaced = spaced.replace(mark, f" {mark} ")
    with contextlib.suppress(MlirError):
        flydsl_mlir.gpu_objects(vector_add, _edit_words(spaced, edits))


@settings(max_examples=60, deadline=None)
@given(BYTE_EDITS)
def test_damaged_bitcode(bitcode: bytes, edits: list[tuple[float, str, bytes]]) -> None:
    with contextlib.suppress(MlirError):
        flydsl_mlir.codegen(_edit_bytes(bitcode, edits), **AMDGPU, optimize=True)


@settings(max_examples=100, deadline=None)
@given(BYTE_EDITS)
def test_damaged_objects(amdgpu_object: bytes, edits: list[tuple[float, str, bytes]]) -> None:
    with contextlib.suppress(MlirError):
        flydsl_mlir.link([_edit_bytes(amdgpu_object, edits)])
    assert flydsl_mlir.link([amdgpu_object])


@settings(max_examples=100, deadline=None)
@given(BYTE_EDITS)
def test_damaged_images(code_object: bytes, edits: list[tuple[float, str, bytes]]) -> None:
    with contextlib.suppress(MlirError):
        flydsl_mlir.disassemble(_edit_bytes(code_object, edits), **AMDGPU)


def _edit_words(text: str, edits: list[tuple[float, str, float]]) -> str:
    words = text.split(" ")
    for where, kind, source in edits:
        at, word = int(where * len(words)), words[int(source * len(words))]
        words[at : at + (kind != "i")] = [] if kind == "d" else [word]
        words = words or [""]
    return " ".join(words)


def _edit_bytes(content: bytes, edits: list[tuple[float, str, bytes]]) -> bytes:
    found = bytearray(content)
    for where, kind, new in edits:
        at = int(where * len(found))
        found[at : at + (0 if kind == "i" else len(new))] = b"" if kind == "d" else new
    return bytes(found)


LINK = """
import flydsl_mlir
def caught():
    with open("/proc/self/status") as lines:
        return [line for line in lines if line.startswith("SigCgt")]
flydsl_mlir.run_pipeline("module {}", "cse")
before = caught()
code = flydsl_mlir.emit_host_object('"builtin.module"() ({ ^bb0: }) : () -> ()')
flydsl_mlir.link([code], args=[], shared=True)
assert caught() == before, (before, caught())
"""


def test_a_link_takes_no_signal_of_the_process() -> None:
    """LLVM takes SIGINT, SIGTERM and more for good when it writes a file, to remove it."""
    subprocess.run([sys.executable, "-c", LINK], check=True)
