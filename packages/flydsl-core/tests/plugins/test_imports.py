"""What importing the boundary brings in: nothing heavy."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {"xdsl", "numpy", "torch", "jax", "mlir", "flydsl_mlir", "hip", "pluggy", "importlib.metadata", "logging"}


@pytest.mark.parametrize(
    "module, allowed",
    [
        ("flydsl.plugins", set()),
        ("flydsl.utils.env", set()),
        ("flydsl.adaptors.resolve", set()),
        ("flydsl.plugins.active.fingerprint", set()),
        ("flydsl.adaptors.plugin", {"pluggy"}),
        ("flydsl.testing.plugin", {"pluggy", "importlib.metadata", "logging"}),
    ],
)
def test_an_import_stays_light(module: str, allowed: set[str]) -> None:
    script = f"import sys; old = set(sys.modules); import {module}; print(*(set(sys.modules) - old))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert not (set(done.stdout.split()) & HEAVY) - allowed
