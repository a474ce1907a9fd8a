"""For the conftest.py of a folder whose tests run on each target of their module: the parameter and what chooses it."""

from __future__ import annotations

import os

import pytest
from support.targets import TARGETS, Target, targets_of

import flydsl.compiler as flyc
from flydsl.base import settings


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """The interpreter is asked once: no backend takes part."""
    names = targets_of(metafunc.module.__name__.rpartition(".")[2])
    metafunc.parametrize("target", names[:1] if settings.debug.interpret else names, indirect=True)


@pytest.fixture(autouse=True)
def target(own_choices: None, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Target:
    """What the test's kernels are compiled for and run on."""
    chosen = TARGETS[request.param]
    if not chosen.arch:
        monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", chosen.name)
        flyc.use_pair(chosen.name)
        return chosen
    hipsim = request.getfixturevalue("hipsim")
    hipsim.use(chosen.arch)
    if "FLYDSL_HIPSIM" not in os.environ:  # which may ask for another order
        hipsim.set_order(chosen.order)
    return chosen
