"""The table of differences, row by row, and what imitating each version changes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from flydsl_compat import DIFFERENCES, VERSIONS, Difference, ImitationWarning, imitate, imitated
from flydsl_compat.__main__ import main
from flydsl_compat.differences import KINDS
from flydsl_compat.imitation import _CHOSEN

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import SettingError

PATHS = [row for row in DIFFERENCES if row.kind in ("name", "private")]
CLASSES = {"flydsl.compiler.JitFunction": "function", "flydsl.compiler.KernelFunction": "kernel"}


@flyc.kernel(known_block_size=[1, 1, 1])
def kernel(x: fx.Tensor) -> None:
    x[0] = 1.0


@flyc.jit
def function(x: fx.Tensor) -> None:
    kernel(x).launch(grid=1, block=1)


@pytest.fixture(autouse=True)
def nothing_imitated(monkeypatch: pytest.MonkeyPatch) -> Any:
    yield
    _CHOSEN.clear()


def in_a_trace(ask: Callable[[], Any]) -> Any:
    seen: list[Any] = []

    @flyc.jit
    def asking(x: fx.Tensor) -> None:
        function(x)
        seen.append(ask())

    asking.trace(np.zeros(4, np.float32), backend="cpu")
    return seen[0]


def looked_up(path: str) -> Any:
    """What a program has that imports or reads a name."""
    owner, _, name = path.rpartition(".")
    if owner in CLASSES:
        return getattr(globals()[CLASSES[owner]], name)
    if owner.endswith("kernel_function.CompilationContext"):
        return in_a_trace(lambda: getattr(looked_up(owner).get_current(), name))
    if owner.endswith(".BaseBackend"):
        return getattr(flyc.BaseBackend, name)
    try:
        return import_module(path)
    except ModuleNotFoundError:
        return getattr(import_module(owner), name)


@pytest.mark.parametrize("row", PATHS, ids=lambda row: row.name)
def test_what_the_table_says_of_a_name_is_so(row: Difference) -> None:
    if row.is_here:
        assert looked_up(row.name) is not None
    else:
        with pytest.raises((AttributeError, ImportError)) as caught:
            looked_up(row.name)
        if not any(part in row.name for part in ("BaseBackend", "rocdl", "tdm_ops")):  # of others, which know nothing
            assert row.note in str(caught.value)
            assert f"versions {row.versions} have" in str(caught.value)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.filterwarnings("ignore::flydsl_compat.ImitationWarning")
def test_names_of_other_versions_only_are_refused(version: str) -> None:
    imitate(version)
    refused = {"JitFunction._original_func": "0.5", "InsertEmptyYieldForSCFFor": "0.4", "tracing_option": "0.2"}
    for end, without in refused.items():
        (row,) = (row for row in PATHS if row.name.endswith(end))
        assert row.is_in(version) == (version < without if row.until else version > without)
        if row.is_in(version):
            assert looked_up(row.name) is not None
        else:
            with pytest.raises(AttributeError, match=f"and {version} is imitated; it is "):
                looked_up(row.name)


def test_attributes_that_other_versions_have_are_what_they_say() -> None:
    assert function.func is function.__wrapped__  # type: ignore[attr-defined]
    assert kernel._original_func is kernel.__wrapped__  # type: ignore[attr-defined]
    assert not hasattr(function, "no_such_name")


@pytest.mark.parametrize("version", VERSIONS)
def test_what_cannot_be_imitated_is_warned_of(version: str) -> None:
    expected = {row.name for row in DIFFERENCES if row.kind == "meaning" and row.is_in(version) and not row.is_here}
    assert expected
    with pytest.warns(ImitationWarning) as caught:
        assert {row.name for row in imitate(version)} == expected
    assert {str(one.message).partition(": ")[2].partition(";")[0] for one in caught} == expected
    assert imitated() == version


@pytest.mark.parametrize("version", [" 0.3", "", "1.0", "0.6", "0.3.1.2", "0.x", "0", "../0.3"])
def test_an_unknown_version_is_refused(version: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SettingError, match="flydsl-compat imitates 0.2, 0.3, 0.4, 0.5"):
        imitate(version)
    assert main([version]) == 2
    assert "is not imitated" in capsys.readouterr().err


def test_rows_are_complete_and_in_order_of_versions() -> None:
    for row in DIFFERENCES:
        assert row.kind in KINDS
        assert row.since in VERSIONS
        assert row.until in ("", *VERSIONS)
        assert not row.until or row.since <= row.until
        assert row.note
    assert len({row.name for row in DIFFERENCES}) == len(DIFFERENCES)


ASKED = """
import warnings; warnings.simplefilter("ignore")
import flydsl.compiler, flydsl_compat, flydsl
print(flydsl_compat.imitated(), hasattr(flydsl, "__version__"))
flydsl_compat.imitate("0.3.1")
print(flydsl_compat.imitated(), flydsl.__version__)
"""


def test_the_environment_chooses_and_a_call_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_COMPAT_VERSION", "0.5.0")
    line = [sys.executable, "-c", ASKED]
    assert subprocess.run(line, capture_output=True, text=True, check=True).stdout == "0.5 False\n0.3 0.3.1\n"


def test_the_table_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    everything = capsys.readouterr().out
    assert main(["0.5"]) == 0
    newest = capsys.readouterr().out
    assert len(everything.splitlines()) == len(DIFFERENCES) > len(newest.splitlines())
    assert "manager_key" in everything
    assert "manager_key" not in newest


def test_stand_ins_do_what_they_say(tmp_path: Any) -> None:
    from flydsl.compiler.backends import get_backend  # type: ignore[import-not-found]
    from flydsl.compiler.jit_function import JitFunction  # type: ignore[import-not-found]

    tracing_context, tracing_option = (looked_up(f"flydsl.expr.meta.tracing_{one}") for one in ("context", "option"))
    from flydsl.utils.file import atomic_write  # type: ignore[import-not-found]

    assert (JitFunction, get_backend) == (flyc.JitFunction, flyc.get_backend)
    with tracing_context(a=1), tracing_context(b=2):
        assert (tracing_option("a"), tracing_option("b"), tracing_option("c", 3)) == (1, 2, 3)
    assert tracing_option("a") is None
    path = tmp_path / "file"
    with atomic_write(path, mode="w") as file:
        file.write("first")
    with pytest.raises(ZeroDivisionError), atomic_write(path, mode="w") as file:
        file.write(str(1 / 0))
    assert [one.name for one in tmp_path.iterdir()] == ["file"]
    assert path.read_text() == "first"
