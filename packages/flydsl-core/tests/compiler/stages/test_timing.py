"""Stages of a compilation: their times, and the line on a terminal."""

from __future__ import annotations

import io
import re
import threading
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.process import console
from flydsl.compiler.stages import timing
from flydsl.compiler.stages.timing import Progress, Stages, compilation, stage


class Clock:
    """A clock that stands still unless it is told."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(timing, "perf_counter", made)
    return made


class Terminal(io.StringIO):
    """A terminal of unknown width."""

    def __init__(self) -> None:
        super().__init__()
        self.flushed = threading.Event()

    def isatty(self) -> bool:
        return True

    def flush(self) -> None:
        self.flushed.set()


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    made = Terminal()
    monkeypatch.setattr(console, "sys", SimpleNamespace(stderr=made))
    return made


def test_a_stage_does_not_count_what_is_inside_of_it(clock: Clock) -> None:
    stages = Stages("f for chip")
    clock.now += 1
    with stages.stage("trace"):
        clock.now += 2
        with stages.stage("import"):
            clock.now += 4
        clock.now += 8
    with stages.stage("trace"):
        clock.now += 16

    def fail() -> None:
        with stages.stage("fails"):
            clock.now += 32
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    clock.now += 64
    stages.end()
    assert stages.times == {"trace": 26e3, "import": 4e3, "fails": 32e3, "other": 65e3}
    assert list(stages.times)[-1] == "other"
    assert stages.table().splitlines() == [
        "f for chip:",
        "  trace       26000.0 ms",
        "  import       4000.0 ms",
        "  fails       32000.0 ms",
        "  other       65000.0 ms",
        "  together   127000.0 ms",
    ]


def test_a_compilation_inside_of_another_is_a_part_of_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FLYDSL_TIMING", "1")
    with compilation("outer", "chip"), compilation("inner", "chip"), stage("one"):
        pass
    table = capsys.readouterr().err
    assert table.startswith("outer for chip:\n  one ")
    assert "inner" not in table


def test_without_a_compilation_nothing_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    with stage("one"):
        pass
    assert capsys.readouterr().err == ""


@flyc.kernel
def store(x: fx.Tensor, n: fx.Int32):
    x[0] = n


def fill(x: fx.Tensor, n: fx.Int32):
    store(x, n).launch(grid=1, block=1)


def test_the_table_of_a_function_has_its_stages_once(fake_device, monkeypatch, capsys) -> None:
    monkeypatch.setenv("FLYDSL_TIMING", "1")
    array = np.zeros(4, np.int32)
    flyc.jit(fill)(array, 1)
    table = capsys.readouterr().err
    title, *rows = table.splitlines()
    assert title.startswith("fill for fake")
    names = [re.split(r"  +", row.strip())[0] for row in rows]
    assert {"trace", "device code", "host launcher", "other", "together"} <= set(names)
    assert len(names) == len(set(names))
    times = [float(row.split()[-2]) for row in rows]
    assert times[-1] == pytest.approx(sum(times[:-1]), abs=0.1 * len(times))
    flyc.jit(fill)(array, 2)  # from the cache: nothing is compiled
    assert capsys.readouterr().err == ""


def test_without_the_setting_there_is_no_table(fake_device, capsys) -> None:
    flyc.jit(fill)(np.zeros(4, np.int32), 1)
    assert capsys.readouterr().err == ""


def test_a_long_compilation_says_where_it_is_and_leaves_no_trace(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timing, "PATIENCE", 0.0)
    monkeypatch.setattr(timing, "_INTERVAL", 0.001)
    with compilation("scale", "chip"), stage("device code"):
        while "device code" not in terminal.getvalue():
            terminal.flushed.clear()
            assert terminal.flushed.wait(60)
    lines = terminal.getvalue().split("\r\x1b[K")
    assert lines[0] == ""
    assert lines[-1] == ""
    assert "compiling scale for chip: device code (0 s)" in lines


def test_a_line_fits_into_the_terminal(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "PATIENCE", 0.0)
    monkeypatch.setattr(timing, "columns", lambda: 20)
    progress = Progress(Stages("a_function_with_a_long_name for chip"))
    assert terminal.flushed.wait(60)
    progress.end()
    assert terminal.getvalue().split("\r\x1b[K")[1] == "compiling a_functio"


@pytest.mark.parametrize("ends_by", ["return", "error"])
def test_a_short_compilation_shows_nothing(terminal: Terminal, monkeypatch: pytest.MonkeyPatch, ends_by: str) -> None:
    ended: list[str] = []
    show = Progress._show

    def show_and_say(progress: Progress) -> None:
        show(progress)
        ended.append("thread")

    monkeypatch.setattr(Progress, "_show", show_and_say)

    def work() -> None:
        with compilation("scale", "chip"):
            if ends_by == "error":
                raise KeyError

    if ends_by == "error":
        with pytest.raises(KeyError):
            work()
    else:
        work()
    assert terminal.getvalue() == ""
    assert ended == ["thread"]


def silent_when(change: Callable[[], object], terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "PATIENCE", 0.0)
    shown: list[Progress] = []
    monkeypatch.setattr(Progress, "_show", shown.append)
    change()
    with compilation("scale", "chip"):
        pass
    assert not shown
    assert terminal.getvalue() == ""


def test_what_is_no_terminal_gets_no_line(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    silent_when(lambda: monkeypatch.setattr(terminal, "isatty", lambda: False), terminal, monkeypatch)


def test_the_line_can_be_switched_off(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    silent_when(lambda: monkeypatch.setenv("FLYDSL_PROGRESS", "0"), terminal, monkeypatch)


def test_a_long_compilation_without_a_terminal_leaves_lines_in_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    import time

    monkeypatch.setattr(timing, "LOG_PATIENCE", 0.02)
    monkeypatch.setattr("sys.stderr", None)
    with timing.compilation("sort", "cpu"), timing.stage("device code"):
        limit = time.monotonic() + 20
        while len(caplog.records) < 2 and time.monotonic() < limit:
            time.sleep(0.01)
    assert {record.levelname for record in caplog.records} == {"WARNING"}
    assert caplog.messages[0].startswith("compiling sort for cpu: device code, for 0 s now")


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_program_that_counts_its_threads_does_not_see_ours(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, is_terminal: bool
) -> None:
    monkeypatch.setattr(terminal, "isatty", lambda: is_terminal)
    before = threading.enumerate()
    with compilation("scale", "chip"):
        assert threading.enumerate() == before
