"""A small program that says in a line of JSON how it ended: right, or with which error."""

from __future__ import annotations

import json
import sys


def plain() -> bool:
    import numpy as np

    import flydsl.compiler as flyc
    import flydsl.expr as fx

    @flyc.kernel
    def add_one(x: fx.Tensor, y: fx.Tensor) -> None:
        y[fx.thread_idx.x] = x[fx.thread_idx.x] + 1

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor) -> None:
        add_one(x, y).launch(grid=1, block=32)

    x, y = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
    made = host(x, y)
    return made is None and bool((y == x + 1).all() or _is_compile_only())


def tuned() -> bool:
    import numpy as np

    import flydsl.compiler as flyc
    import flydsl.expr as fx
    from flydsl.autotune import Config, autotune

    @flyc.kernel
    def add_one(x: fx.Tensor, y: fx.Tensor, BLOCK: fx.Constexpr[int]) -> None:
        i = fx.block_idx.x * BLOCK + fx.thread_idx.x
        y[i] = x[i] + 1

    @autotune([Config(BLOCK=16), Config(BLOCK=32)], key=["x"])
    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor, BLOCK: fx.Constexpr[int]) -> None:
        add_one(x, y, BLOCK).launch(grid=32 // BLOCK, block=BLOCK)

    x, y = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
    host(x, y)
    return bool((y == x + 1).all())


def _is_compile_only() -> bool:
    from flydsl.base import settings

    return settings.compile.compile_only


def main(name: str) -> None:
    try:
        answer = {"right": {"plain": plain, "tuned": tuned}[name]()}
    except BaseException as error:
        typed = any(kind.__name__ == "FlyDSLError" for kind in type(error).__mro__)
        answer = {"right": False, "kind": type(error).__name__, "text": str(error), "typed": typed}
    print()
    print(json.dumps(answer))


if __name__ == "__main__":
    main(sys.argv[1])
