"""Errors of a call, its launch and its code generation in; the same errors with the user's line out.

Compiled code keeps no lines, so that it may be moved and shared. When a launch fails, the function is traced again: its
module says where each kernel is launched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from flydsl.base.errors import FlyDSLError, RuntimeFailure
from flydsl.base.location import Location, user_location

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation

    from flydsl.compiler.stages import Traced

_PLACE = re.compile(r"^(.+?):(\d+):(\d+): ", re.MULTILINE)
_INTRINSIC = re.compile(r"\bllvm\.\w+\.([\w.]+)")
_SYMBOL = re.compile(r"'(\w+)'")


@contextmanager
def at_call() -> Iterator[None]:
    """Give an error without a place that of the user's innermost running line: the call."""
    try:
        yield
    except FlyDSLError as error:
        if error.location is None:
            error.location = user_location()
        raise


@contextmanager
def at_launch(trace: Callable[[], Traced]) -> Iterator[None]:
    """Give a failure of a launch the place of the launch, and the call that led there."""
    try:
        yield
    except RuntimeFailure as error:
        if error.location is None:
            launch, call = _launch(str(error), trace), user_location()
            error.location = launch or call
            error.callers = [call] if launch is not None and call is not None else []
        raise


def diagnosed_location(message: str, module: ModuleOp) -> Location | None:
    """Where in the user's source a message of the toolchain points.

    By its own words (only places in files of `module`, which was compiled, count), else by an intrinsic or a kernel
    that it names.
    """
    from flydsl.ir.location import get_location

    places = [(op, where) for op in module.walk() if (where := get_location(op)) is not None]
    files = {where.file for _, where in places}
    for file, line, column in _PLACE.findall(message.replace("error: ", "\n")):
        if file.strip() in files:
            return Location(file.strip(), int(line), max(0, int(column) - 1))
    called, named = set(_INTRINSIC.findall(message)), set(_SYMBOL.findall(message))
    found = [where for op, where in places if _intrinsic(op) in called] if called else []
    found += [where for op, where in places if op.name == "gpu.func" and _symbol(op) in named]
    return found[0] if found else None


def _intrinsic(op: Operation) -> str:
    """The intrinsic that an operation stands for, without `llvm.` and the target: dialects name them alike."""
    called = op.properties.get("intrin")
    return called.data.split(".", 2)[-1] if called is not None else op.name.partition(".")[2]  # type: ignore[attr-defined]


def _symbol(op: Operation) -> str:
    return str(op.attributes["sym_name"].data)  # type: ignore[attr-defined]


def _launch(message: str, trace: Callable[[], Traced]) -> Location | None:
    """Where the kernel that a message names is launched; the only launch when it names none."""
    from flydsl.ir.location import get_location

    try:
        module = trace().module
    except Exception:  # what the function read has changed since: the message stays as it was
        return None
    places: dict[str, list[Location | None]] = {}
    for op in module.walk():
        if op.name == "gpu.launch_func":
            name = op.properties["kernel"].nested_references.data[-1].data  # type: ignore[attr-defined]
            places.setdefault(name, []).append(get_location(op))
    named = [place for name in _SYMBOL.findall(message) for place in places.get(name, [])]
    found = named or [place for several in places.values() for place in several]
    return found[0] if len(set(found)) == 1 else None
