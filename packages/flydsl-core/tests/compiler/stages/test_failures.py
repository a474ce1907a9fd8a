"""Lines of failed launches and of failed code generation, from the fields of errors."""

from __future__ import annotations

import linecache

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import CompileError, Diagnostic, RuntimeFailure, ToolchainError
from flydsl.base.location import Location
from flydsl.compiler.options.target_options import target_of
from flydsl.compiler.stages.failures import at_launch, failed_at


@flyc.kernel
def first(x: fx.Tensor):
    x[0] = 1  # in the first


@flyc.kernel
def second(x: fx.Tensor):
    x[0] = 2  # in the second


@flyc.jit
def both(x: fx.Tensor):
    first(x).launch(grid=1, block=1)
    second(x).launch(grid=1, block=1)


@flyc.jit
def alone(x: fx.Tensor):
    first(x).launch(grid=1, block=1)


LINE = first.__wrapped__.__code__.co_firstlineno + 2


def traced(function):
    return function._code.traced(function.bind(np.zeros(4, np.int32)).specs(), target_of(), {})


def shown(location):
    return None if location is None else linecache.getline(location.file, location.line).strip()


@pytest.mark.parametrize(
    ("function", "kernel", "line"),
    [
        (both, "second_1", "second(x).launch(grid=1, block=1)"),
        (alone, "", "first(x).launch(grid=1, block=1)"),
        (alone, "other", "first(x).launch(grid=1, block=1)"),
    ],
)
def test_a_failed_launch_is_that_of_its_kernel_or_the_only_one(function, kernel, line, fake_device):
    with pytest.raises(RuntimeFailure) as error, at_launch(lambda: traced(function)):
        raise RuntimeFailure("failed", 1, kernel)
    assert shown(error.value.location) == line
    assert [caller.file for caller in error.value.callers] == [__file__]


def test_a_failure_of_one_of_several_launches_shows_the_call(fake_device):
    with pytest.raises(RuntimeFailure) as error, at_launch(lambda: traced(both)):
        raise RuntimeFailure("failed")
    assert shown(error.value.location).endswith("at_launch(lambda: traced(both)):")
    assert error.value.callers == []


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ToolchainError("failed", symbols=["unknown", "second_1"]), "def second(x: fx.Tensor):"),
        (ToolchainError("failed", kernel="first_0"), "def first(x: fx.Tensor):"),
        (ToolchainError("failed", [Diagnostic("error", "at", "elsewhere.py", 3)]), None),
        (CompileError("failed"), None),
    ],
    ids=str,
)
def test_code_generation_fails_at_the_kernel_that_is_named(error, line, fake_device):
    location = failed_at(error, traced(both).module)
    assert shown(location) in (line, line and "@flyc.kernel")


def test_a_diagnostic_in_a_file_of_the_module_says_the_line(fake_device):
    error = ToolchainError("failed", [Diagnostic("error", "at", __file__, LINE, 5)])
    assert failed_at(error, traced(both).module) == Location(__file__, LINE, 4)


def test_a_failed_compilation_shows_the_line_that_is_found_with_debug_information(fake_device, monkeypatch):
    from flydsl.testing.fakes import FakeBackend

    def fail(self, module_text, *, arch, toolchain, options=None):
        lines = [Diagnostic("error", "cannot select", __file__, LINE, 5)] if options["debug_info"] else []
        raise ToolchainError("code generation failed", lines)

    monkeypatch.setattr(FakeBackend, "emit_code_object", fail)
    with pytest.raises(ToolchainError, match="code generation failed") as error:
        flyc.jit(both.__wrapped__)(np.zeros(4, np.int32))
    assert shown(error.value.location) == "x[0] = 1  # in the first"


def test_a_trace_that_fails_leaves_the_message_as_it_was():
    def fail():
        raise ValueError("changed")

    with pytest.raises(RuntimeFailure, match="out of memory"), at_launch(fail):
        raise RuntimeFailure("out of memory")
