"""TDM copies whose operands are arguments of a function: lowered as those that the function makes itself."""

from __future__ import annotations

import pytest

from flydsl.ir.context import create_context
from flydsl.ir.emit import emit_generic
from flydsl.ir.parse import parse_module
from flydsl.passes.registry import run
from flydsl.plugins.active.selection import python_passes
from flydsl_rocm.dialect import FLY_ROCDL

ATOM = (
    "!fly.copy_atom<!fly_rocdl.gfx1250.tdm<rank = 2, warps = 1, pad = 0, 0, cache = 0, barrier = false, "
    "timeout = false>, 0>"
)
DEVICE, SHARED = "!fly.memref<f16, global, (128,64):(64,1)>", "!fly.memref<f16, shared, (128,64):(64,1)>"


@pytest.mark.parametrize(
    "source, target, name",
    [(DEVICE, SHARED, "tensor.load.to.lds"), (SHARED, DEVICE, "tensor.store.from.lds")],
)
def test_operands_may_be_arguments(monkeypatch: pytest.MonkeyPatch, source: str, target: str, name: str) -> None:
    monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", "rocm")
    monkeypatch.setenv("FLYDSL_COMPILE_ARCH", "gfx1250")
    text = f"""func.func @t(%src: {source}, %dst: {target}) {{
      %atom = fly.make_copy_atom {{valBits = 0 : i32}} : {ATOM}
      fly.copy_atom_call(%atom, %src, %dst) : ({ATOM}, {source}, {target}) -> ()
      return
    }}"""
    context = create_context((FLY_ROCDL,))
    module = parse_module(text, context)
    run(module, ["convert-fly-to-rocdl"], context=context, extra=python_passes("rocm"))
    assert name in emit_generic(module).replace("_", ".")
