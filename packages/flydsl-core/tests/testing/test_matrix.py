"""The matrix of a run of the conformance suite."""

from __future__ import annotations

from pathlib import Path

import pytest

from flydsl.testing.matrix import Matrix, Result, run_file

SUITE = """
import pytest
from flydsl.testing.capabilities import Capabilities, Capability, requires

class ToySuite:
    level = 1

    class bench:
        capabilities = Capabilities({"timing": "no clock"})

    def test_good(self):
        pass

    def test_bad(self):
        assert [1, 2] == [1], "one too many"

    @pytest.mark.xfail(reason="not yet", strict=True)
    def test_deviation(self):
        raise RuntimeError

    @requires(Capability.TIMING)
    def test_time(self):
        pass

    @requires(Capability.DEVICE)
    @pytest.mark.parametrize("size", [1, 2])
    def test_device(self, size):
        pass

class TestToy(ToySuite):
    pass
"""


@pytest.fixture
def matrix(tmp_path: Path) -> Matrix:
    file = tmp_path / "test_toy.py"
    file.write_text(SUITE)
    return run_file(file)


def test_each_test_has_a_level_an_outcome_and_a_reason(matrix: Matrix) -> None:
    assert not matrix.is_conforming
    assert matrix.of("passed") == [
        Result("test_good", 1, "toy", "passed"),
        Result("test_device[1]", 2, "toy", "passed"),
        Result("test_device[2]", 2, "toy", "passed"),
    ]
    (bad,) = matrix.of("failed")
    assert bad.reason.startswith("AssertionError: one too many")
    assert matrix.of("known") == [Result("test_deviation", 1, "toy", "known", "not yet")]
    assert matrix.of("left out") == [Result("test_time", 1, "toy", "left out", "no timing: no clock")]


def test_the_lines_count_and_give_reasons(matrix: Matrix) -> None:
    lines = [" ".join(line.split()) for line in matrix.lines()]
    assert lines[:3] == [
        "level about tests of passed failed known left out",
        "L1 code toy 1 1 1 1",
        "L2 execution toy 2 0 0 0",
    ]
    assert lines[3].startswith("failed: test_bad: AssertionError: one too many")
    assert lines[4:] == ["known deviation: test_deviation: not yet", "left out: 1 tests, no timing: no clock"]


def test_a_file_that_cannot_be_imported_conforms_to_nothing(tmp_path: Path) -> None:
    (tmp_path / "test_toy.py").write_text("import flydsl_no_such\n")
    matrix = run_file(tmp_path / "test_toy.py")
    assert not matrix.is_conforming
    assert matrix.errors == ["ModuleNotFoundError: No module named 'flydsl_no_such'"]


def test_nothing_run_is_nothing_proved() -> None:
    assert not Matrix().is_conforming
    assert Matrix([Result("test_good", 0, "toy", "passed")]).is_conforming
