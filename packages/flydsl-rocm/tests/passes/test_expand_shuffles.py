"""Which exchanges of lanes go by moves within rows, and which by the crossbar of LDS."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Kernel = Callable[..., str]
After = Callable[..., str]


@pytest.mark.parametrize(
    ("strategy", "offset", "found"),
    [
        ("", 1, "rocdl.update.dpp"),
        ("", 32, "gpu.shuffle"),
        ("any", 5, "rocdl.update.dpp"),
        ("any", 32, "rocdl.ds_bpermute"),
        ("halves", 32, "llvm.amdgcn.wave.shuffle"),
    ],
)
def test_an_exchange_by_a_constant(strategy: str, offset: int, found: str, kernel: Kernel, after: After) -> None:
    body = f"""
      %o = arith.constant {offset} : i32
      %w = arith.constant 64 : i32
      %y, %valid = "gpu.shuffle"(%x, %o, %w) <{{mode = #gpu<shuffle_mode xor>}}> : (i32, i32, i32) -> (i32, i1)
    """
    options = f"{{strategy={strategy}}}" if strategy else ""
    assert found in after(kernel("%x: i32", body), f"rocdl-expand-shuffles{options}")
