"""torch tensors of the CPU on each target: a simulated GPU uses them where they are, without copies."""

from support.on_targets import pytest_generate_tests, target

__all__ = ["pytest_generate_tests", "target"]
