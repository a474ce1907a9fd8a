"""The pass `convert-fly-ktrace`: records in the trace buffer, and what is refused."""

from __future__ import annotations

import pytest

from flydsl.base.errors import IRError
from flydsl.ir.emit import emit_generic
from flydsl.ir.parse import parse_module, verify
from flydsl.passes.registry import run

BODY = """
  fly_ktrace.range_push(%x) {label = "copy"} : (i32) -> ()
  fly_ktrace.mark() {label = "done"} : () -> ()
  fly_ktrace.mark() {label = "copy"} : () -> ()
  fly_ktrace.range_pop() : () -> ()
"""


def converted(body: str, buffer: str = "0 : i64", type_: str = "!fly.ptr<i64, global>") -> str:
    attributes = f"attributes {{fly_ktrace.buffer = {buffer}}}" if buffer else ""
    module = parse_module(
        f"gpu.module @m {{ gpu.func @k(%b: {type_}, %x: i32) kernel {attributes} {{\n{body}\ngpu.return }} }}"
    )
    run(module, "convert-fly-ktrace")
    verify(module)
    text = emit_generic(module)
    assert "!fly_ktrace" not in text
    return text


def test_each_annotation_claims_a_record_of_four_words() -> None:
    text = converted(BODY)
    assert text.count('"llvm.atomicrmw"') == 4
    assert text.count('"llvm.store"') == 16
    assert text.count("llvm.readcyclecounter") == 4


def test_labels_are_numbered_in_order_and_kinds_stand_in_the_low_byte() -> None:
    text = converted(BODY)
    assert 'fly_ktrace.labels = ["copy", "done"]' in text
    for word in (0 << 8 | 1, 1 << 8 | 0, 0 << 8 | 0, 0 << 8 | 2):
        assert f"value = {word} : i64" in text


def test_who_the_thread_is_is_computed_once() -> None:
    text = converted(BODY)
    assert text.count('"gpu.thread_id"') == text.count('"gpu.block_id"') == 3
    assert f"value = {1 << 32} : i64" in text


def test_without_a_buffer_nothing_is_recorded() -> None:
    text = converted(BODY, buffer="")
    assert "fly_ktrace" not in text
    assert "llvm." not in text


@pytest.mark.parametrize(
    ("buffer", "type_", "message"),
    [
        ("2 : i64", "!fly.ptr<i64, global>", "must be the number of one of 2 arguments, found 2"),
        ("-1 : i64", "!fly.ptr<i64, global>", "must be the number of one of 2 arguments"),
        (
            "0 : i64",
            "!fly.ptr<i32, global>",
            "must name a pointer to i64 in global memory, found !fly.ptr<i32, global>",
        ),
        ("1 : i64", "!fly.ptr<i64, global>", "must name a pointer to i64 in global memory, found i32"),
    ],
)
def test_the_buffer_is_a_pointer_argument(buffer: str, type_: str, message: str) -> None:
    with pytest.raises(IRError, match=message):
        converted(BODY, buffer, type_)
