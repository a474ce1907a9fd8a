"""Metadata of code objects."""

from __future__ import annotations

import pytest

from flydsl.base.errors import CompileError
from flydsl_rocm.report.metadata import kernels_of


@pytest.mark.parametrize("code", [b"", b"no code", b"\x7fELF" + bytes(60), b"\x7fELF" + bytes(3)])
def test_bytes_without_metadata_are_refused(code: bytes) -> None:
    with pytest.raises(CompileError, match="the code object's metadata cannot be read"):
        kernels_of(code)
