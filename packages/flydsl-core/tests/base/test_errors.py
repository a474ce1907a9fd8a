"""The exception tree: builtins that callers guess, and errors that reach other processes with all their data."""

from __future__ import annotations

import copy
import importlib
import multiprocessing
import pickle
import re
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from flydsl.base import errors
from flydsl.base.errors import (
    Diagnostic,
    FlyDSLError,
    IRError,
    KernelError,
    LayoutError,
    RuntimeFailure,
    ToolchainError,
)
from flydsl.base.location import Location

WHERE, CALLER = Location(__file__, 3, 4, 9), Location(__file__, 7)
DIAGNOSTIC = Diagnostic("error", "no such op", "a.mlir", 3, 4)
OWN_ARGUMENTS = {
    LayoutError: ("compose", [(4, 8), "a tile"], "shapes differ"),
    IRError: ("bad IR", DIAGNOSTIC),
    RuntimeFailure: ("the driver failed", 7, "add_0"),
    ToolchainError: ("compiling failed", [DIAGNOSTIC]),
    errors.ToolchainMissingError: ("no linker", [DIAGNOSTIC]),
}


def import_all_errors():
    """The modules of the core that declare an error; most stand in `base.errors`."""
    core = Path(errors.__file__).parents[1]
    for path in core.rglob("*.py"):
        if re.search(r"^class \w+\(.*(Error|Failure)\b", path.read_text(), re.MULTILINE):
            importlib.import_module(".".join(["flydsl", *path.relative_to(core).with_suffix("").parts]))


def tree(root=FlyDSLError):
    return [root, *(cls for child in root.__subclasses__() for cls in tree(child))]


import_all_errors()
CLASSES = sorted({cls for cls in tree() if cls.__module__.startswith("flydsl.")}, key=lambda cls: cls.__name__)


def instance(cls):
    """An error with everything that one may carry."""
    error = cls(*OWN_ARGUMENTS.get(cls, ("what happened",)))
    error.location, error.callers = WHERE, [CALLER]
    if isinstance(error, KernelError):
        error.kernel, error.block, error.thread = "add_0", (1, 2, 3), (4, 5, 6)
    error.amend(before="argument 'x': ", after="; do this instead")
    error.add_note("a note")
    return error


def data(error):
    return type(error), str(error), error.args, {name: repr(value) for name, value in vars(error).items()}


def raised_in_a_worker(cls):
    raise instance(cls)


def test_the_tree_has_the_classes_that_are_declared():
    declared = [value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, FlyDSLError)]
    assert set(declared) <= set(CLASSES)
    assert {"BadEntryError", "NoAttributeError"} <= {cls.__name__ for cls in CLASSES}  # stand elsewhere
    assert len(CLASSES) > 25


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize(
    "again",
    [copy.copy, copy.deepcopy, *(lambda error, p=p: pickle.loads(pickle.dumps(error, p)) for p in (2, 5))],
    ids=["copy", "deepcopy", "pickle 2", "pickle 5"],
)
def test_an_error_is_copied_and_pickled_with_all_its_data(cls, again):
    error = instance(cls)
    assert data(again(error)) == data(error)
    assert "argument 'x': " in str(error)


def test_every_error_reaches_the_process_that_waits_for_it():
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        futures = {cls: pool.submit(raised_in_a_worker, cls) for cls in CLASSES}
        for cls, future in futures.items():
            assert data(future.exception(timeout=120)) == data(instance(cls))


def test_what_no_other_process_can_have_goes_as_its_text():
    error = LayoutError("compose", [lambda: 0, (2, 3)], "no")
    made = pickle.loads(pickle.dumps(error))
    assert made.operands == (str(error.operands[0]), (2, 3))
    assert copy.copy(error).operands == error.operands


def test_a_copy_changes_alone():
    error = instance(ToolchainError)
    other = copy.copy(error)
    other.amend(after="!")
    other.location = None
    assert error.location is WHERE
    assert not error.args[0].endswith("!")


@pytest.mark.parametrize("builtin", [ImportError, OSError])
def test_builtins_with_state_of_their_own_keep_it(builtin):
    (cls,) = [cls for cls in CLASSES if issubclass(cls, builtin)]
    made = pickle.loads(pickle.dumps(cls("what happened", location=WHERE)))
    assert getattr(made, "msg", "what happened") == "what happened"
    assert made.location == WHERE


def test_a_message_shows_the_line_and_the_callers():
    error = FlyDSLError("wrong", location=Location("gone.py", 3))
    error.callers = [Location("gone.py", 9)]
    assert str(error) == "wrong\n  --> gone.py:3:1\n  called from gone.py:9:1"


def test_a_place_that_a_message_begins_with_is_shown_once():
    assert str(DIAGNOSTIC) == "a.mlir:3:4: error: no such op"
    assert str(Diagnostic("error", "a.py:3:4: cannot select", "a.py", 3, 4)) == "error: a.py:3:4: cannot select"
