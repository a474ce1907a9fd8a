"""Which functions of libraries answer from their arguments alone."""

from __future__ import annotations

import importlib
import logging

import numpy as np
import pytest

from flydsl.cache import library_functions
from flydsl.cache.library_functions import OF_LOGGERS, PURE_FUNCTIONS, PURE_MODULES, SILENT, is_pure


def test_the_modules_exist() -> None:
    for name in PURE_MODULES:
        importlib.import_module(name)


def test_named_functions_exist() -> None:
    for name in SILENT | PURE_FUNCTIONS:
        module, _, function = name.partition(".")
        assert callable(getattr(importlib.import_module(module), function))


def test_every_attribute_of_a_logger_logs_or_says_what_it_is_set_to() -> None:
    logger = logging.getLogger("flydsl.test")
    public = {name for name in {*dir(logger), *vars(logger)} if not name.startswith("_")}
    logs = {"critical", "debug", "error", "exception", "fatal", "info", "log", "warn", "warning"}
    changes = {"addFilter", "addHandler", "removeFilter", "removeHandler", "setLevel"}
    assert public - logs - changes <= OF_LOGGERS


@pytest.mark.parametrize("function", [np.array, np.arange, np.zeros, np.dot, np.where])
def test_functions_that_make_arrays_are_pure(function: object) -> None:
    assert is_pure(f"numpy.{getattr(function, '__name__', '')}")


@pytest.mark.parametrize("name", ["numpy.random.rand", "numpy._core._multiarray_umath._get_extobj_dict", "torch.rand"])
def test_unknown_functions_are_not(name: str) -> None:
    assert not is_pure(name)
    assert library_functions.is_pure("numpy.array")
