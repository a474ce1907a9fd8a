"""What is known of this machine's processor."""

from __future__ import annotations

from pathlib import Path

import pytest

from flydsl.runtime.machine import X86_LEVELS, machine_name, x86_levels


def cpuinfo(folder: Path, *flags: str) -> Path:
    path = folder / "cpuinfo"
    path.write_text(f"processor\t: 0\nflags\t\t: {' '.join(flags)}\n\nprocessor\t: 1\nflags\t\t: none\n")
    return path


@pytest.fixture
def x86(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "AMD64")


@pytest.mark.usefixtures("x86")
@pytest.mark.parametrize("level", X86_LEVELS)
def test_flags_tell_a_level_and_those_below(tmp_path: Path, level: str) -> None:
    names = list(X86_LEVELS)
    assert x86_levels(cpuinfo(tmp_path, "fpu", *X86_LEVELS[level])) == tuple(names[names.index(level) :])


@pytest.mark.usefixtures("x86")
def test_a_level_with_one_flag_missing_is_none(tmp_path: Path) -> None:
    assert x86_levels(cpuinfo(tmp_path, *X86_LEVELS["x86-64-v3"] - {"movbe"})) == ("x86-64-v2",)


@pytest.mark.usefixtures("x86")
def test_nothing_is_assumed_of_an_unknown_processor(tmp_path: Path) -> None:
    assert x86_levels(tmp_path / "absent") == ()


def test_other_machines_have_no_levels_of_x86(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "arm64")
    assert machine_name() == "aarch64"
    assert x86_levels(cpuinfo(tmp_path, *X86_LEVELS["x86-64-v2"])) == ()
