"""Mutants of a toy device, one wrong result at a time, each of which a test of the conformance suite has to find."""

from __future__ import annotations

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "lib"))

from support.long_run import Outcome, long_run

WHAT = "mutants that the conformance suite finds"


def run(count: int, seed: int) -> Outcome:
    """All wrong machines, and `count` of the wrong numbers in the order of `seed`; what survives is a failure."""
    from support.machine_mutants import machine_mutants
    from support.mutants import mutants_of
    from support.mutation_runs import Laboratory

    laboratory = Laboratory()
    with laboratory.open():
        numbers = [mutant for kind, op in sorted(laboratory.kinds.items()) for mutant in mutants_of(kind, op)]
        chosen = random.Random(seed).sample(numbers, min(count, len(numbers)))
        fates: dict[str, int] = {}
        survivors = []
        for mutant in (*machine_mutants(), *chosen):
            seen = laboratory.run(mutant)
            fates[seen.fate] = fates.get(seen.fate, 0) + 1
            print(f"{seen.fate:16}{mutant.name} {seen.killer}", flush=True)
            if seen.fate == "survived":
                survivors.append(f"{mutant.name}: {seen.changed} results were others, and no test failed")
    figures: dict[str, float | str] = {**fates, "of all": len(numbers)}
    return Outcome(WHAT, sum(fates.values()), len(survivors), figures, tuple(survivors[:5]))


if __name__ == "__main__":
    options = long_run(__doc__, 400)
    print(f"seed {options.seed}")
    run(options.count, options.seed).print()
