"""A number is subtracted from a vector by adding its negative, where CDNA packs additions."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Kernel = Callable[..., str]
Lower = Callable[[str], str]


def lowered(kernel: Kernel, lower: Lower, type_: str, operation: str) -> str:
    body = f"""
      %everywhere = vector.broadcast %s : {type_.split("x")[-1].rstrip(">")} to {type_}
      %d = {operation} : {type_}
      fly.ptr.store(%d, %p) : ({type_}, !fly.ptr<{type_.split("x")[-1].rstrip(">")}, global>) -> ()
    """
    scalar = type_.split("x")[-1].rstrip(">")
    return lower(kernel(f"%v: {type_}, %s: {scalar}, %p: !fly.ptr<{scalar}, global>", body))


@pytest.mark.parametrize(
    ("type_", "operation", "is_packed"),
    [
        ("vector<4xf32>", "arith.subf %v, %everywhere", True),
        ("vector<8xf32>", "arith.subf %v, %everywhere fastmath<contract>", True),
        ("vector<2xf32>", "arith.subf %v, %everywhere", False),
        ("vector<4xf16>", "arith.subf %v, %everywhere", False),
        ("vector<4xf32>", "arith.subf %everywhere, %v", False),
        ("vector<4xf32>", "arith.subf %v, %v", False),
    ],
)
def test_what_is_subtracted_from_every_lane(
    kernel: Kernel, lower: Lower, type_: str, operation: str, is_packed: bool
) -> None:
    text = lowered(kernel, lower, type_, operation)
    assert ("arith.negf" in text) == ("arith.addf" in text) == is_packed
    assert ("arith.subf" in text) != is_packed
    assert ("fastmath<contract>" in text) == ("contract" in operation)
