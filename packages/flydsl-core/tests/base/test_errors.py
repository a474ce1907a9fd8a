"""The exception tree: each error is the builtin that a caller would guess, and shows where it points."""

from __future__ import annotations

import inspect

import pytest

from flydsl.base import errors
from flydsl.base.errors import Diagnostic, FlyDSLError, LayoutError, OutOfBoundsError, ToolchainError
from flydsl.base.location import Location

CLASSES = [
    cls
    for _, cls in inspect.getmembers(errors, inspect.isclass)
    if issubclass(cls, Exception) and not issubclass(cls, Warning) and cls.__module__ == errors.__name__
]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_error_is_ours_and_says_what_it_is(cls: type[Exception]) -> None:
    assert issubclass(cls, FlyDSLError)
    assert cls.__doc__


@pytest.mark.parametrize(
    ("name", "builtin"),
    [
        ("ArgumentError", TypeError),
        ("ShapeError", ValueError),
        ("FrontendError", TypeError),
        ("CompileError", RuntimeError),
        ("UnsupportedTargetError", ValueError),
        ("IncompatiblePluginError", ImportError),
        ("LibraryMissingError", OSError),
        ("OutOfBoundsError", IndexError),
        ("SettingError", ValueError),
    ],
)
def test_a_caller_may_catch_the_builtin(name: str, builtin: type[Exception]) -> None:
    assert issubclass(getattr(errors, name), builtin)


def test_a_message_without_a_line_is_the_message() -> None:
    assert str(FlyDSLError("wrong")) == "wrong"


def test_the_line_and_the_callers_follow_the_message() -> None:
    error = FlyDSLError("wrong")
    error.location, error.callers = Location("/none.py", 3, 1), [Location("/other.py", 5, 0)]
    assert str(error) == "wrong\n  --> /none.py:3:2\n  called from /other.py:5:1"


def test_a_layout_error_names_operation_operands_and_condition() -> None:
    error = LayoutError("compose", ("4:1", 3), "no")
    assert str(error) == "compose(4:1, 3): no"
    assert (error.op, error.operands) == ("compose", ("4:1", 3))


def test_diagnostics_of_a_tool_stand_below_its_message() -> None:
    error = ToolchainError("failed", [Diagnostic("error", "bad", "a.mlir", 2, 3), Diagnostic("note", "because")])
    assert str(error) == "failed\n  a.mlir:2:3: error: bad\n  note: because"
    assert isinstance(OutOfBoundsError("x"), errors.KernelError)
