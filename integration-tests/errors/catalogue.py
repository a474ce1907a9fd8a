"""Wrong kernels in, what they show out: the message as a user reads it, with places counted from the kernel's start."""

from __future__ import annotations

import inspect
import re
import textwrap
import traceback
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FlyDSLError
from flydsl.base.location import Location

CASES: dict[str, Wrong] = {}


@dataclass(frozen=True, slots=True)
class Wrong:
    """One mistake: `run` makes it, `title` says what it is, `group` what it is about."""

    group: str
    title: str
    run: Callable[[], None]

    @property
    def source(self) -> str:
        """The code that is wrong, without the function around it."""
        lines = inspect.getsource(self.run).splitlines(keepends=True)
        return textwrap.dedent("".join(lines[2:]))

    def message(self) -> str:
        """The class and text of the error, with places in `kernel.py`, which is `source`."""
        try:
            self.run()
        except Exception as error:
            place = "" if isinstance(error, FlyDSLError) else f"\n  --> {_line(error)}"
            return f"{type(error).__name__}: {self._placed(f'{error}{place}')}"
        raise AssertionError(f"{self.title}: nothing was raised")

    def _placed(self, text: str) -> str:
        code = inspect.unwrap(self.run).__code__
        first, file = code.co_firstlineno + 1, re.escape(code.co_filename)
        text = re.sub(rf"\n  called from {re.escape(__file__)}.*", "", text)
        text = re.sub(r"'x86-64(-v[23])?'", "'x86-64-v4'", text)  # whatever processor runs this

        def place(match: re.Match[str]) -> str:
            return f"kernel.py:{int(match[1]) - first}:{max(1, int(match[2]) - 4)}"

        text = re.sub(rf"{file}:(\d+):(\d+)", place, text)
        text = re.sub(r"at line (\d+)", lambda match: f"at line {int(match[1]) - first}", text)
        text = re.sub(rf"{file}:(\d+)", lambda match: f"kernel.py:{int(match[1]) - first}", text)
        return "\n".join(line[4:] if line.startswith("        ") else line for line in text.splitlines())


def _line(error: Exception) -> str:
    """Where Python's traceback ends, for errors that Python itself raised."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    assert frame.lineno is not None
    return Location(frame.filename, frame.lineno, frame.colno or 0, frame.end_colno or 0).describe("").strip("\n ->")


def wrong(group: str, title: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Decorate a function that makes one mistake."""

    def decorate(function: Callable[[], None]) -> Callable[[], None]:
        CASES[function.__name__] = Wrong(group, title, function)
        return function

    return decorate


def launch(kernel, *arguments, grid=1, block=32, size=32, dtype=np.float32) -> None:
    """Launch `kernel` on one vector of static shape."""

    @flyc.jit
    def host(x: fx.Tensor):
        kernel(x, *arguments).launch(grid=grid, block=block)

    host(flyc.from_dlpack(np.zeros(size, dtype)))
