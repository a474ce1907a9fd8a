"""Stopping at a breakpoint: a frame at the user's line with the kernel's variables."""

from __future__ import annotations

import sys
from types import FrameType

import pytest

from flydsl.base.location import Location
from flydsl.ir.interpret.debugger import Shown, stop
from flydsl.ir.interpret.thread import Block, Thread


@pytest.fixture
def frames(monkeypatch: pytest.MonkeyPatch) -> list[FrameType]:
    seen: list[FrameType] = []
    monkeypatch.setattr(sys, "breakpointhook", lambda: seen.append(sys._getframe(1)))
    return seen


def test_a_replaced_hook_gets_a_frame_of_the_kernel(frames: list[FrameType]) -> None:
    thread = Thread((1, 2, 3), 0, Block((4, 5, 6)), {})
    expressions = {"total": compile("v[0] + v[1]", "total", "eval"), "text": compile("Shown('(4,8)')", "text", "eval")}
    stop(Location("user.py", 17), "my_kernel", thread, expressions, [30, 12])
    (frame,) = frames
    assert frame.f_code.co_name == frame.f_code.co_qualname == "my_kernel"
    assert frame.f_code.co_filename == "user.py"
    assert [line for *_, line in frame.f_code.co_lines() if line][-1] == 17
    assert frame.f_locals == {"thread_idx": (1, 2, 3), "block_idx": (4, 5, 6), "total": 42, "text": "(4,8)"}
    assert frame.f_globals["__name__"] == "__kernel__"


def test_without_a_location_the_kernel_is_the_file(frames: list[FrameType]) -> None:
    stop(None, "my_kernel", Thread((0, 0, 0), 0, Block(), {}), {}, [])
    assert frames[0].f_code.co_filename == "<kernel>"


def test_shown_text_has_no_quotes() -> None:
    assert repr(Shown("(4,8):(8,1)")) == "(4,8):(8,1)"
