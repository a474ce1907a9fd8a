"""Modules of upstream operations that MLIR 22 accepts."""

from __future__ import annotations

from pathlib import Path

MODULE = (Path(__file__).parent / "upstream.mlir").read_text()
HOST_AND_KERNEL = (Path(__file__).parent / "host_and_kernel.mlir").read_text()
