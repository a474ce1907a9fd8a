"""Every test of this folder runs on each target of its module: one kernel, several backends, one answer."""

from support.on_targets import pytest_generate_tests, target

__all__ = ["pytest_generate_tests", "target"]
