"""A trial of one backend, in a process of its own: `python -m flydsl.tools.examine.trial BACKEND RUNTIME`.

A small kernel is compiled, and launched on the device of RUNTIME unless that is empty. One JSON object tells of it: a
driver that ends the process, or never answers, is the finding of who started it.
"""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import Sequence

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import RuntimeFailure
from flydsl.compiler.options.target_options import target_of
from flydsl.plugins.active.stack import use_pair
from flydsl.runtime.device import Device
from flydsl.tools.examine.finding import described

_BLOCK = 32
_COUNT = 77  # no multiple of the block


@flyc.kernel
def _count(out: fx.Pointer, n: fx.Int32) -> None:
    i = fx.block_idx.x * _BLOCK + fx.thread_idx.x
    if i < n:
        out[i] = i * 3 + 1


@flyc.jit
def _fill(out: fx.Pointer, n: fx.Int32) -> None:
    _count(out, n).launch(grid=fx.ceil_div(n, _BLOCK), block=_BLOCK)


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the backend and the runtime named, and print what became of it; 0."""
    backend, runtime = sys.argv[1:] if arguments is None else arguments
    print(json.dumps(trial(backend, runtime)))
    return 0


def trial(backend: str, runtime: str) -> dict[str, str]:
    """`compiled` and `launched` with a sentence each, as far as it got, and `failed` with what was in the way."""
    told: dict[str, str] = {}
    try:
        use_pair(backend, runtime or None)
        told["compiled"] = _compile(backend)
        if runtime:
            told["launched"] = _launch()
    except Exception as error:  # of a plugin it may be anything
        told["failed"] = described(error)
    return told


def _compile(backend: str) -> str:
    target = target_of(backend)
    number = flyc.from_c_void_p(fx.Int32, 16)
    artifact = _fill.trace(number, _COUNT, backend=backend, arch=target.arch).lower().compile()
    return f"a kernel for {target.arch}, {len(artifact.device)} bytes"


def _launch() -> str:
    device = Device()
    expected = array("i", range(1, 3 * _COUNT, 3))
    found = array("i", bytes(expected.itemsize * _COUNT))
    with device.allocate(expected.itemsize * _COUNT) as buffer:
        buffer.copy_from(found)
        _fill(flyc.from_c_void_p(fx.Int32, buffer.handle), _COUNT)
        device.sync()
        buffer.copy_to(found)
    wrong = [place for place in range(_COUNT) if found[place] != expected[place]]
    if wrong:
        first = f"first [{wrong[0]}]: {found[wrong[0]]}, not {expected[wrong[0]]}"
        raise RuntimeFailure(f"a kernel ran on {device.name} and {len(wrong)} of {_COUNT} numbers are wrong, {first}")
    return f"a kernel on {device.name} ({device.arch}), {_COUNT} numbers right"


if __name__ == "__main__":
    sys.exit(main())
