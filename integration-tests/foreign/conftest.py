"""Every test of this folder runs on each target of its module: one kernel, several backends, one answer."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from support.on_targets import pytest_generate_tests, target

__all__ = ["pytest_generate_tests", "target"]
CORPUS = Path(__file__).with_name("corpus")


@pytest.fixture
def corpus(request: pytest.FixtureRequest) -> Callable[[str], ModuleType]:
    """`corpus("atomics")` imports a file of kernels, anew for each test."""

    def load(name: str) -> ModuleType:
        spec = importlib.util.spec_from_file_location(f"foreign_{name}", CORPUS / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load
