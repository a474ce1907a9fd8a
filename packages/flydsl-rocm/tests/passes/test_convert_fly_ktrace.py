"""Annotated kernels read the hardware's counter and append to their trace buffer."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from flydsl.ir.context import create_context
from flydsl.ir.emit import emit_generic
from flydsl.ir.parse import parse_module
from flydsl.passes.registry import run
from flydsl.plugins.registry import registry

CLOCKS = {"gfx942": "s_memtime", "gfx1100": "hwreg(HW_REG_SHADER_CYCLES", "gfx1201": "hwreg(HW_REG_SHADER_CYCLES_LO"}


@pytest.mark.parametrize("arch", CLOCKS)
def test_a_mark_becomes_an_atomic_claim_and_a_record(
    arch: str, kernel: Callable[..., str], assemble: Callable[..., str]
) -> None:
    body = 'fly_ktrace.mark(%x) {label = "begin"} : (i32) -> ()\n'
    text = kernel("%b : !fly.ptr<i64, global>, %x : i32", body, attributes=", fly_ktrace.buffer = 0 : i64")
    module = parse_module(text, create_context())
    run(module, "convert-fly-ktrace-to-rocdl", extra=registry.tables.backends["rocm"].passes)
    isa = assemble(emit_generic(module), arch)
    assert "atomic_add" in isa
    assert CLOCKS[arch] in isa
