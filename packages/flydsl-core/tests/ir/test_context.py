"""Contexts: dialects load when used, and targets bring their own."""

from __future__ import annotations

import subprocess
import sys

import pytest
from fly_target import TARGET
from xdsl.utils.exceptions import AlreadyRegisteredConstructException

from flydsl.ir.context import create_context

UPSTREAM = ["arith", "builtin", "cf", "func", "gpu", "llvm", "math", "memref", "scf", "ub", "vector"]


def test_context_has_fly_and_the_upstream_dialects() -> None:
    assert sorted(create_context().registered_dialect_names) == sorted(["fly", "fly_host", "fly_ktrace", *UPSTREAM])


@pytest.mark.parametrize("name", ["fly", "fly_host", "fly_ktrace", *UPSTREAM])
def test_every_dialect_loads(name: str) -> None:
    context = create_context()
    assert context.get_dialect(name).name == name
    assert list(context.get_dialect(name).operations)


def test_dialect_of_a_target_is_loaded() -> None:
    assert create_context([TARGET]).get_optional_type("fly_test.mma") is not None
    assert create_context().get_optional_type("fly_test.mma") is None


def test_target_may_not_take_the_name_of_a_dialect() -> None:
    with pytest.raises(AlreadyRegisteredConstructException):
        create_context([TARGET, TARGET])


def test_creating_a_context_imports_no_dialect() -> None:
    script = """
import sys
from flydsl.ir.context import create_context
create_context()
print("xdsl.dialects.scf" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
