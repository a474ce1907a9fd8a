"""What `flydsl conformance cuda` tests this plugin by."""

from __future__ import annotations

from flydsl.plugins import Conformance

CUDA = Conformance(targets=("sm_80", "sm_90a", "sm_100a"))
"""A chip of each generation."""
