"""The first second: import, first kernel and next kernel of fresh processes, cold (empty cache folder) and warm.

Run: `python benchmarks/bench_first_second.py [--repeat N] [--framework NAME] [--json FILE] [NAME=COMMAND ...]`.
Programs take turns, so that a busy machine is busy for all of them. Medians and minima of wall time, and minima of
processor time (user and system), which other processes disturb least.

COMMAND is run by the shell, with `{cache}` in it replaced by a folder: empty for each cold run, filled before the first
warm one (also in `FLYDSL_RUNTIME_CACHE_DIR` and `XDG_CACHE_HOME`). If its last line is a JSON object of
`stage: [wall ms, CPU ms]`, as `first_second_kernel.py` prints it, its stages are rows; the whole process always is one.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from statistics import median

OURS = Path(__file__).resolve().with_name("first_second_kernel.py")
WHOLE = "whole process"
Times = dict[str, tuple[float, float]]
"""Stage -> milliseconds of wall and of processor time."""


def run(command: str, cache: str) -> Times:
    """The times of one fresh process."""
    environment = {
        **os.environ,
        "COMPILE_ONLY": "1",
        "FLYDSL_COMPILE_ARCH": "gfx942",
        "FLYDSL_COMPILE_BACKEND": "rocm",
        "FLYDSL_RUNTIME_CACHE_DIR": cache,
        "XDG_CACHE_HOME": cache,
    }
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # byte code is compiled once, not a cost of a start
    with tempfile.TemporaryFile("w+") as output:
        start = time.perf_counter()
        process = subprocess.Popen(command.replace("{cache}", cache), shell=True, env=environment, stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{command!r} ended with status {process.returncode}")
        output.seek(0)
        lines = output.read().splitlines()
    times: Times = {WHOLE: (wall * 1e3, (usage.ru_utime + usage.ru_stime) * 1e3)}
    try:
        stages = json.loads(lines[-1])
    except (IndexError, ValueError):
        return times
    return {**{name: tuple(pair) for name, pair in stages.items()}, **times}


def measure(programs: dict[str, str], repeat: int) -> dict[tuple[str, str], list[Times]]:
    """The runs of each program, cold and warm, in turns."""
    runs: dict[tuple[str, str], list[Times]] = {(name, kind): [] for kind in ("cold", "warm") for name in programs}
    with tempfile.TemporaryDirectory() as folder:
        for name, command in programs.items():  # fills the warm cache, and writes byte code
            run(command, f"{folder}/{name}")
        for turn in range(repeat):
            for name, command in programs.items():
                runs[name, "cold"].append(run(command, f"{folder}/{name}-{turn}"))
                runs[name, "warm"].append(run(command, f"{folder}/{name}"))
    return runs


def show(runs: dict[tuple[str, str], list[Times]]) -> list[dict[str, str | float]]:
    """Print a table, and return its rows."""
    rows: list[dict[str, str | float]] = []
    print(f"{'ms':36}{'wall median':>13}{'wall min':>10}{'CPU min':>10}")
    for (name, kind), times in runs.items():
        for stage in times[0]:
            walls, cpus = zip(*(one[stage] for one in times), strict=True)
            row: dict[str, str | float] = {"program": name, "cache": kind, "stage": stage}
            row |= {"wall median": median(walls), "wall min": min(walls), "CPU min": min(cpus)}
            rows.append(row)
            label = f"{name}, {kind}: {stage}"
            print(f"{label:36}{median(walls):13.1f}{min(walls):10.1f}{min(cpus):10.1f}")
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", metavar="NAME=COMMAND", help="other programs to compare with")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--framework", default="torch" if find_spec("torch") else "numpy")
    parser.add_argument("--json", type=Path, help="file to write the rows to")
    options = parser.parse_args()
    programs = {"ours": shlex.join([sys.executable, str(OURS), options.framework])}
    programs |= dict(program.split("=", 1) for program in options.programs)
    rows = show(measure(programs, options.repeat))
    if options.json is not None:
        options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
