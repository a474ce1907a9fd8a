"""Kernels of the generators with and without each promise that our code makes to LLVM and ptxas, and one table.

What a promise is, and why it holds, is in `docs/explanation/promises.md`. Results without it have to equal those with
it, on the CPU and on simulated AMD GPUs; for NVIDIA GPUs the code is made both ways, and runs where there is one. The
exit status is 1 when anything differs.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration-tests/lib"))

from support.promises.session import TARGETS, session, table


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="target", help=f"all without any: {', '.join(TARGETS)}")
    parser.add_argument("--seconds", type=float, default=300.0, help="how long to go on, in all")
    parser.add_argument("--seed", type=int, default=0, help="start of the random numbers")
    options = parser.parse_args()
    if unknown := set(options.targets) - set(TARGETS):
        parser.error(f"no target is called {', '.join(sorted(unknown))}; there are {', '.join(TARGETS)}")
    print(f"seed {options.seed}", flush=True)
    rows = list(session(options.seconds, options.seed, options.targets or tuple(TARGETS)))
    print(table(rows))
    return int(any(row.differences for row in rows))


if __name__ == "__main__":
    sys.exit(main())
