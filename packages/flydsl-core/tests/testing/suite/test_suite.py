"""The base of the suites: asserts that say what is wrong, and known deviations."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from flydsl.testing import suite
from flydsl.testing.matrix import run_file
from flydsl.testing.suite.suite import check_same, difference, told

MODULES = sorted(Path(suite.__file__).parent.glob("*.py"))

PLUGIN = """
from flydsl.plugins import hookimpl
from flydsl.testing.fakes import fake_backend

@hookimpl
def flydsl_compile_backends():
    return [fake_backend(warp_functions="flydsl_no_such:x")]
"""
TEST = """
from flydsl.testing.suite import conformance
TestToy = conformance("flydsl_deviating", known={})
"""
UNKNOWN = "test_everything_a_manifest_refers_to_exists"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_asserts_that_show_no_values_have_a_message(path: Path) -> None:
    """pytest shows both sides of a comparison; of anything else only that it was false."""
    asserts = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Assert)]
    assert [node.lineno for node in asserts if node.msg is None and not isinstance(node.test, ast.Compare)] == []


def test_pytest_shows_the_values_of_the_suites_asserts(tmp_path: Path) -> None:
    """It does for modules that it rewrites, which it has to be told of a namespace."""
    (tmp_path / "test_it.py").write_text(
        "from flydsl.testing.suite.kernels import BLOCK\nimport flydsl.testing.suite.suite as it\n"
        "def test_rewritten():\n    assert '@pytest_ar' in vars(it)\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-c", "/dev/null", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_differing_bytes_are_described() -> None:
    check_same(b"abc", b"abc")
    with pytest.raises(AssertionError, match="1 of 3 bytes differ, first 2: 0x63, not 0x64"):
        check_same(b"abc", b"abd")
    assert difference(b"a", b"ab") == "1 bytes, expected 2"


def test_failures_of_threads_are_told_once_each() -> None:
    failures = [KeyError("a"), KeyError("a"), ValueError("b")]
    assert told(failures) == "3 threads failed: KeyError: 'a'; ValueError: b"


@pytest.mark.parametrize(
    ("known", "outcome"),
    [({}, "failed"), ({UNKNOWN: "not written yet"}, "known"), ({f"{UNKNOWN}[case]": "of another case"}, "failed")],
)
def test_a_known_deviation_is_data_with_a_reason(
    known: dict[str, str], outcome: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "flydsl_deviating.py").write_text(PLUGIN)
    (tmp_path / "test_toy.py").write_text(TEST.replace("known={}", f"known={known}"))
    monkeypatch.syspath_prepend(tmp_path)
    (result,) = [one for one in run_file(tmp_path / "test_toy.py").results if one.name == UNKNOWN]
    assert result.outcome == outcome
    assert outcome == "failed" or result.reason == "not written yet"
    sys.modules.pop("flydsl_deviating", None)


@pytest.mark.parametrize(
    ("known", "message"),
    [({"test_nothing": "why"}, "'test_nothing' is no test of this plugin"), ({UNKNOWN: " "}, "has no reason")],
)
def test_a_deviation_has_the_name_of_a_test_and_a_reason(known: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        suite.conformance("flydsl.adaptors.plugin", adaptor="numpy", tensors="numpy", known=known)
