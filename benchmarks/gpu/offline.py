"""The command line of benchmarks that run on a GPU of a machine without a compiler, and the clock of its device.

python SCRIPT                # where FlyDSL is installed with a compiler
python SCRIPT fill FOLDER    # where there is no GPU: compiles everything into FOLDER,
python SCRIPT run FOLDER     # which this runs where there is no compiler
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import figures
from run_examples import CACHE, EXAMPLES, SITE, SOURCES, copy_packages, copy_sources, private_cache

__all__ = ["medians", "milliseconds", "parser", "run_or_fill"]


def parser(doc: str | None) -> argparse.ArgumentParser:
    """With the words above, `--arch` and `--json`; `doc` is the script's."""
    made = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("what", nargs="?", choices=("fill", "compile", "run"), default="run")
    made.add_argument("folder", type=Path, nargs="?")
    made.add_argument("--arch", default="sm_90a", help="what `fill` compiles for")
    made.add_argument("--json", type=Path, help="file for the figures")
    return made


def run_or_fill(
    made: argparse.ArgumentParser,
    run: Callable[[argparse.Namespace], int],
    compile_cases: Callable[[argparse.Namespace], None],
) -> int:
    """Do what the command line says: `run` measures, `compile_cases` is the part of `fill` that compiles."""
    given = made.parse_args()
    folder = given.folder.resolve() if given.folder else None
    if folder is None:
        if given.what != "run":
            made.error(f"{given.what} needs a folder")
        _prepare(None, None)
        return _measured(given, run)
    if given.what == "run":
        with private_cache(folder) as cache:
            os.environ |= {"FLYDSL_RUNTIME_RUN_ONLY": "1"}
            _prepare(folder, cache)
            return _measured(given, run)
    if given.what == "fill":  # by a copy of the sources that is there as well
        copy_sources(folder / SOURCES)
        copy_packages(folder / SITE)
        command = [sys.executable, sys.argv[0], "compile", str(folder), "--arch", given.arch]
        return subprocess.run(command, check=False).returncode
    os.environ |= {"COMPILE_ONLY": "1", "FLYDSL_COMPILE_ARCH": given.arch}
    _prepare(folder, folder / CACHE)
    compile_cases(given)
    return 0


def _measured(given: argparse.Namespace, run: Callable[[argparse.Namespace], int]) -> int:
    """Run, and write the figures where they are asked for."""
    wrong = run(given)
    if given.json is not None:
        figures.write(given.json, figures.RECORDED)
    return wrong


def _prepare(folder: Path | None, cache: Path | None) -> None:
    """Choose sources, cache and backend."""
    sys.path.insert(0, str(EXAMPLES))
    os.environ["FLYDSL_COMPILE_BACKEND"] = "cuda"
    if folder is not None:
        sys.path.insert(0, str(folder / SOURCES))
        sys.path.append(str(folder / SITE))
        os.environ["FLYDSL_RUNTIME_CACHE_DIR"] = str(cache)
    import memory

    from flydsl.plugins import use_pair

    use_pair("cuda")
    memory.register()


def medians(ways: Mapping[str, Callable[[], Any]], rounds: int, launches: int) -> dict[str, float]:
    """Milliseconds of one call of each, of rounds in which all take turns."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, call in ways.items():
            times[name].append(milliseconds(call, launches))
    return {name: statistics.median(taken) for name, taken in times.items()}


def milliseconds(call: Callable[[], Any], launches: int, ahead: int = 0) -> float:
    """Of one of so many calls, by the device's clock; a call before them keeps the device at work.

    Short ones are launched while the device waits for `ahead` of its clocks, so that the host's time does not count.
    """
    import torch

    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    if ahead:
        torch.cuda._sleep(ahead)
    call()
    start.record()
    for _ in range(launches):
        call()
    end.record()
    end.synchronize()
    return float(start.elapsed_time(end)) / launches
