"""Four devices of the CPU, and each target: a simulated GPU uses arrays of the host where they are, without copies."""

from __future__ import annotations

import os

from support.on_targets import pytest_generate_tests, target

__all__ = ["pytest_generate_tests", "target"]

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=4")
