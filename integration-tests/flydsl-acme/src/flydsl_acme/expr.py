"""The words of the target in kernels, as `fx.acme`."""

from __future__ import annotations

ANVILS = 3
"""Anvils of one compute unit."""
