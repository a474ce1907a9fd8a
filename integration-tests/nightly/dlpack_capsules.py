"""DLPack capsules with fields that no exporter should say: each is refused by an error of ours, or read rightly."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "lib"))

from support.long_run import Outcome, long_run

WHAT = "DLPack capsules with changed fields"
TOGETHER = 500
"""Capsules of one process."""
_WORDS = (0, 1, 7, 8, 4095, 4096 - 8, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, (1 << 64) - 8)
_NUMBERS = (0, 1, -1, 2, 3, 1 << 31, -(1 << 31), 1 << 62, (1 << 63) - 1, -(1 << 63))
_SMALL = (0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 17, 32, 63, 64, 65, 127, 128, 255)
_INTS = (*_SMALL, -1, -2, (1 << 31) - 1, -(1 << 31))
FIELDS: dict[str, tuple[int, ...]] = {
    "ndim": _INTS,
    "shape": (0, 1, 8, 4088),
    "strides": (0, 1, 8, 4088),
    "byte_offset": _WORDS,
    "data": _WORDS,
    "code": _SMALL,
    "bits": _SMALL,
    "lanes": (*_SMALL, 65535),
    "device_kind": _INTS,
    "device_ordinal": _INTS,
    "flags": (*_SMALL, 1 << 32, (1 << 64) - 1),
    "major": (0, 1, 2, (1 << 32) - 1),
    "minor": (0, 1, 2, (1 << 32) - 1),
}
IN_BOUNDS = {"byte_offset", "extent_of_mode_0", "extent_of_mode_1", "stride_of_mode_0", "stride_of_mode_1", "minor"}
"""Fields whose changes leave a tensor that NumPy can make, when it stays within the array."""


def run(count: int, seed: int) -> Outcome:
    """`count` capsules, in processes of their own: a death is a failure of what it was about."""
    failures: list[str] = []
    for start in range(0, count, TOGETHER):
        here = min(TOGETHER, count - start)
        command = [sys.executable, __file__, "--within", str(seed * 1_000_003 + start), str(here)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        *lines, last = done.stdout.splitlines() or [""]
        failures += [line for line in lines if not line.startswith("next ")]
        if done.returncode or last != "end":
            about = next((line for line in reversed([*lines, last]) if line.startswith("next ")), "")
            failures.append(f"the process ended with {done.returncode} at {about}: {done.stderr[-300:]}")
    return Outcome(WHAT, count, len(failures), {}, tuple(failures[:5]))


def within(seed: int, count: int) -> None:
    """Try capsules in this process, and print what each is about, before it, and what is wrong."""
    import numpy as np

    chance = random.Random(seed)
    array = np.arange(1024, dtype=np.int32)
    for _ in range(count):
        changed = _changes(chance)
        print(f"next {changed}", flush=True)
        if wrong := _wrong(array, changed, chance.choice(("describe", "call"))):
            print(f"{changed}: {wrong}", flush=True)
    print("end", flush=True)


def _changes(chance: random.Random) -> dict[str, int]:
    numbers = {f"{what}_of_mode_{mode}": _NUMBERS for what in ("extent", "stride") for mode in (0, 1)}
    fields = {**FIELDS, **numbers}
    if chance.random() < 0.3:  # what stays within the array
        near = {name: chance.choice((0, 1, 2, 3, 5, 8)) for name in sorted(IN_BOUNDS) if chance.random() < 0.5}
        return {name: 4 * value if name == "byte_offset" else value for name, value in near.items()}
    return {name: chance.choice(fields[name]) for name in chance.sample(sorted(fields), chance.choice((1, 1, 2, 3)))}


def _wrong(array: Any, changed: dict[str, int], way: str) -> str:
    """What is wrong with how a capsule is taken; nothing when all is well."""
    from support.dlpack_capsules import Exporting, capsule_of

    import flydsl.compiler as flyc
    from flydsl.base.errors import FlyDSLError

    view = array[:24].reshape(4, 6)
    exporter = Exporting(lambda: capsule_of(view, changed=changed))
    expected = _as_numpy(array, changed)
    try:
        found = flyc.from_dlpack(exporter).describe() if expected is None or way == "describe" else None
        read = None if expected is None or way == "describe" else _copied(exporter, expected.shape)
    except FlyDSLError as error:
        return "" if expected is None else f"refused: {error}".partition("\n")[0]
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if expected is None:
        return ""
    if found is not None:
        strides = tuple(step // array.itemsize for step in expected.strides)
        return "" if (found.shape, found.strides) == (expected.shape, strides) else f"read as {found}"
    return "" if (read == expected).all() else f"{read} instead of {expected}"


def _as_numpy(array: Any, changed: dict[str, int]) -> Any | None:
    """The tensor as NumPy makes it, where it stays within the array."""
    import numpy as np

    if not changed.keys() <= IN_BOUNDS:
        return None
    shape = tuple(changed.get(f"extent_of_mode_{mode}", extent) for mode, extent in enumerate((4, 6)))
    strides = tuple(changed.get(f"stride_of_mode_{mode}", step) for mode, step in enumerate((6, 1)))
    offset = changed.get("byte_offset", 0)
    is_near = all(0 <= number <= 16 for number in (*shape, *strides)) and offset % 4 == 0 and offset <= 64
    if not is_near:
        return None
    return np.lib.stride_tricks.as_strided(array[offset // 4 :], shape, tuple(4 * step for step in strides))


def _copied(exporter: Any, shape: tuple[int, ...]) -> Any:
    """What a kernel reads of a tensor of two modes."""
    import numpy as np
    from support.two_mode_copy import copy

    y = np.full(shape, -1, np.int32)
    copy(exporter, y)
    return y


if __name__ == "__main__":
    if sys.argv[1:2] == ["--within"]:
        within(int(sys.argv[2]), int(sys.argv[3]))
    else:
        chosen = long_run(__doc__, 20_000)
        run(chosen.count, chosen.seed).print()
