"""`fly_host.encode_tensor_map`: its parts and text, what is written through it, and operands that do not fit."""

from __future__ import annotations

import pytest
from xdsl.traits import MemoryEffectKind
from xdsl.utils.exceptions import VerifyException

from flydsl.ir.effects import effects_of
from flydsl.ir.emit import emit_generic
from flydsl.ir.parse import parse_module
from flydsl.ir.tensor_map import EncodeTensorMapOp

TEXT = """
func.func @host(%p: !fly.ptr<f32, global>, %n: i64, %s: i64) {{
  %map = "fly_host.encode_tensor_map"({operands}) {{recipe = "00ff10"{written}}} : ({types}) -> !fly.ptr<i8, global>
  func.return
}}
"""


def made(dimensions: int = 1, written: str = "", extra: str = "") -> EncodeTensorMapOp:
    operands = ", ".join(["%p", *["%n"] * dimensions, *["%s"] * dimensions]) + extra
    types = ", ".join(
        [
            "!fly.ptr<f32, global>",
            *["i64"] * (operands.count(",")),
        ]
    )
    module = parse_module(TEXT.format(operands=operands, types=types, written=written), check=False)
    return next(op for op in module.walk() if isinstance(op, EncodeTensorMapOp))


def test_the_parts_come_out_as_they_went_in() -> None:
    op = made(3)
    again = EncodeTensorMapOp.of(op.operands[0], op.operands[1:4], op.operands[4:], b"\0\xff\x10", op.results[0].type)
    assert (again.rank, again.recipe) == (op.rank, op.recipe) == (3, b"\0\xff\x10")
    assert 'recipe = "00ff10"' in emit_generic(again)


@pytest.mark.parametrize(("written", "kind"), [("", MemoryEffectKind.READ), (", written", MemoryEffectKind.WRITE)])
def test_a_tensor_is_read_or_written_through_it_and_the_map_is_new(written: str, kind: MemoryEffectKind) -> None:
    op = made(written=written)
    effects = effects_of(op)
    assert effects is not None
    assert {(effect.kind, effect.value) for effect in effects} == {
        (kind, op.operands[0]),
        (MemoryEffectKind.ALLOC, op.results[0]),
    }


@pytest.mark.parametrize(("dimensions", "extra"), [(6, ""), (1, ", %s"), (0, "")])
def test_dimensions_are_one_to_five_pairs(dimensions: int, extra: str) -> None:
    with pytest.raises(VerifyException, match=r"takes an address, and as many strides as extents, up to 5; found"):
        made(dimensions, extra=extra).verify_()
    made(5).verify_()
