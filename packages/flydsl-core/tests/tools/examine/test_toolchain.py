"""The toolchain of a report is one that was used."""

from __future__ import annotations

import pytest

from flydsl.base.errors import ToolchainError
from flydsl.testing.fake_toolchain import FakeToolchain
from flydsl.tools.examine.toolchain import describe_toolchain


def test_a_pipeline_was_run(fake_toolchain: FakeToolchain) -> None:
    assert describe_toolchain() == f"fake, LLVM {fake_toolchain.version()}, loaded"
    assert len(fake_toolchain.asked("run_pipeline")) == 1


def test_a_toolchain_that_states_a_version_and_runs_nothing_is_an_error() -> None:
    with FakeToolchain(failing="run_pipeline").installed(), pytest.raises(ToolchainError):
        describe_toolchain()
