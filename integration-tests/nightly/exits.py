"""Short processes that end with work of simulated GPUs on its way, many at a time: each ends soon, and as it should."""

from __future__ import annotations

import ctypes
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1] / "lib"))

from support.long_run import Outcome, long_run

WHAT = "processes that end with device work on its way"
AT_ONCE = 6
"""More than there are processors."""
_PATIENCE_S = 300  # a process takes seconds


def run(count: int, seed: int) -> Outcome:
    """Start `count` processes; each is to end by itself, with the status of its kind and nothing of a crash."""
    chance = random.Random(seed)
    with TemporaryDirectory() as cache, ThreadPoolExecutor(AT_ONCE) as pool:
        _failure(cache, "returns", seed)  # compiles what the others find in the cache
        kinds = [chance.choice(sorted(ENDS)) for _ in range(count)]
        found = list(pool.map(partial(_failure, cache), kinds, range(count)))
    failures = tuple(failure for failure in found if failure)
    figures: dict[str, float | str] = {kind: kinds.count(kind) for kind in sorted(set(kinds))}
    return Outcome(WHAT, count, len(failures), figures, failures[:5])


def _failure(cache: str, kind: str, seed: int) -> str:
    """What is wrong with the end of one process, nothing when all is well."""
    environment = os.environ | {"FLYDSL_COMPILE_BACKEND": "rocm", "FLYDSL_CACHE_DIR": cache}
    command = [sys.executable, __file__, "--end", kind, str(seed)]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=_PATIENCE_S)
    except subprocess.TimeoutExpired:
        return f"{kind} {seed}: hangs"
    status, words = ENDS[kind][1:]
    if done.returncode == status and done.stdout == "begun\n" and words in done.stderr and (words or not done.stderr):
        return ""
    return f"{kind} {seed}: status {done.returncode}, {done.stdout[-200:]!r}, {done.stderr[-600:]!r}"


def _returns(chance: random.Random) -> None:
    time.sleep(chance.choice((0.0, 0.0, chance.random() / 20)))


def _exits(chance: random.Random) -> None:
    sys.exit(3)


def _raises(chance: random.Random) -> None:
    raise LookupError("on purpose")


def _exits_at_once(chance: random.Random) -> None:
    sys.stdout.flush()
    os._exit(4)


def _exits_in_threads(chance: random.Random) -> None:
    """Daemon threads go on to launch and to wait while the interpreter goes."""
    from support.exit_kernels import launch_and_wait

    for _ in range(3):
        threading.Thread(target=launch_and_wait, args=(10_000,), daemon=True).start()
    time.sleep(chance.random() / 50)


def _forks(chance: random.Random) -> None:
    """The child ends as any process, with all of Python's handlers; the parent too."""
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        sys.exit(os.waitstatus_to_exitcode(status))


ENDS: dict[str, tuple[Callable[[random.Random], None], int, str]] = {
    "returns": (_returns, 0, ""),
    "exits": (_exits, 3, ""),
    "raises": (_raises, 1, "LookupError: on purpose"),
    "exits at once": (_exits_at_once, 4, ""),
    "exits in threads": (_exits_in_threads, 0, ""),
    "forks": (_forks, 0, ""),
}


def _begin(chance: random.Random) -> None:
    """Streams with kernels that run long or for ever, copies, and functions of the host that Python calls."""
    import flydsl_hipsim

    flydsl_hipsim.install("gfx942", devices=2)
    from support.exit_kernels import launch

    from flydsl.plugins.active.stack import claim_runtime
    from flydsl_hipsim.simulator import hip_functions

    runtime = claim_runtime()
    for _ in range(chance.randrange(1, 5)):
        stream, address = runtime.create_stream(0), runtime.allocate(0, 1 << 16)
        runtime.memset(address, 0, 1 << 16, stream)
        called = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_called)
        _kept.append(called)
        for _ in range(chance.randrange(4)):
            hip_functions().hipLaunchHostFunc(ctypes.c_void_p(stream), called, None)
            launch(address, chance.choice((10, 10_000, 2**31 - 1)), stream)
    print("begun", flush=True)


_kept: list[object] = []


def _called(_: object) -> None:
    time.sleep(0.001)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--end"]:
        own = random.Random(int(sys.argv[3]))
        _begin(own)
        ENDS[sys.argv[2]][0](own)
    else:
        chosen = long_run(__doc__, 200)
        run(chosen.count, chosen.seed).print()
