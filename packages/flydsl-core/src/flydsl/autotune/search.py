"""The measurements of a search, and the choice among them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import Parameter, signature
from numbers import Real
from typing import Protocol, TypeAlias

from flydsl.autotune import bench
from flydsl.autotune.candidate import Candidate, Saved
from flydsl.autotune.config import Config
from flydsl.autotune.public_names import public_names
from flydsl.autotune.ranking import UNIT, static_cost
from flydsl.base.errors import CompileError, OperandError

Measured: TypeAlias = tuple[Config, float]


class Bench(Protocol):
    """What measures a call: `do_bench`, or a function of the user's own, which may leave out both keywords."""

    def __call__(self, call: Callable[[], object], /, *, warmup: int, rep: int) -> float:
        """The time of one call in milliseconds."""


def measured(
    name: str, candidates: Sequence[Candidate], saved: Saved, do_bench: Bench | None, warmup: int, rep: int
) -> list[Measured]:
    """What each candidate costs, with the arrays in `saved` put back before each run; one that raises is left out.

    It is printed. CompileError (a RuntimeError) when none is left.
    """
    is_static = do_bench is None and not bench.has_device()
    results: list[Measured] = []
    unit = bench.MILLISECONDS if do_bench else UNIT if is_static else bench.unit()
    if is_static:
        print(f"[autotune] {name}: there is no device: candidates are compared by their machine code")
    for candidate in candidates:
        try:
            if is_static:
                cost = static_cost(candidate.call)
            else:
                cost = _measure(candidate, saved, do_bench or public_names().do_bench, warmup, rep)
        except Exception as error:
            print(f"[autotune] {name}: {candidate.config!r} fails: {type(error).__name__}: {error}")
            continue
        print(f"[autotune] {name}: {candidate.config!r}: {cost:.6g} {unit}")
        results.append((candidate.config, cost))
    if not results:
        raise CompileError(f"All autotune configs failed, of {name!r}: {len(candidates)} were tried")
    return results


def best_of(name: str, results: list[Measured], select: Callable[[list[Measured]], Measured] | None) -> Config:
    """The configuration that costs least, the first of several, or the one that `select` picks."""
    if select is None:
        best = min(results, key=lambda pair: pair[1])
    else:
        best = select(list(results))
        if best not in results:
            raise OperandError(f"select_config of {name!r} picks one of the measured pairs, found {best!r}")
    print(f"[autotune] {name}: best is {best[0]!r}")
    return best[0]


def _measure(candidate: Candidate, saved: Saved, do_bench: Bench, warmup: int, rep: int) -> float:
    candidate.validate(saved)
    counts = {name: count for name, count in (("warmup", warmup), ("rep", rep)) if _takes(do_bench, name)}
    cost: object = do_bench(lambda: candidate.run(saved), **counts)
    if not isinstance(cost, Real) or cost != cost:
        raise OperandError(f"do_bench gives a number of milliseconds, found {cost!r}")
    return float(cost)


def _takes(function: Callable[..., object], keyword: str) -> bool:
    """Whether a function can be called with a keyword; one whose signature Python does not know is."""
    try:
        parameters = signature(function).parameters
    except (TypeError, ValueError):
        return True
    kinds = Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY
    named = keyword in parameters and parameters[keyword].kind in kinds
    return named or any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters.values())
