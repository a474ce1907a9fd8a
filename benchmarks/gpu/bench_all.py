"""All benchmarks of this folder, one behind the other, and one table: what they measured beside what is aimed at.

    python benchmarks/gpu/bench_all.py                # where FlyDSL is installed with a compiler
    python benchmarks/gpu/bench_all.py fill FOLDER    # where there is no GPU: compiles everything into FOLDER,
    python benchmarks/gpu/bench_all.py run FOLDER     # which this runs where there is no compiler

Options: `--only SCRIPT,SCRIPT` (such as `bench_gemm`), `--rounds N`. The benchmarks print their own tables before. In
the last one a ratio is that of FlyDSL's speed to another's in the same run, and `over` what a launch takes more.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent))

from figures import OWN, Figure, read, write
from offline import parser
from run_examples import CACHE, SITE, SOURCES, copy_packages, copy_sources

SCRIPTS = ("bench_launch", "bench_memory", "bench_gemm", "bench_epilogues", "bench_grouped_gemm", "bench_attention")
WITHOUT_ROUNDS = ("bench_launch",)
BEST = "best"  # of the others
LARGE = r"(2048|4096|8192),(2048|4096|8192),"  # rows and columns of a product


@dataclass(frozen=True)
class Target:
    """Figures of a kernel whose case begins so: the least ratio to another, or value where there is no other.

    `is_over`: the figures are times, and this is the most by which FlyDSL's may exceed the other.
    """

    kernel: str
    case: str
    other: str
    limit: float
    is_over: bool = False

    def applies_to(self, figure: Figure) -> bool:
        """Whether the figure is one that this is for."""
        return re.fullmatch(self.kernel, figure.kernel) is not None and re.match(self.case, figure.case) is not None

    def found(self, figure: Figure) -> float | None:
        """What is compared with `limit`; None where the other was not measured."""
        own = figure.values[OWN]
        if not self.other:
            return own
        others = {name: value for name, value in figure.values.items() if name != OWN}
        other = max(others.values(), default=None) if self.other == BEST else others.get(self.other)
        if other is None:
            return None
        return own - other if self.is_over else own / other

    def is_met(self, found: float) -> bool:
        """Whether that is enough."""
        return found <= self.limit if self.is_over else found >= self.limit


TARGETS = (
    Target("launch", "", "driver, cuLaunchKernel from C", 1.0, is_over=True),
    Target("add", "", "", 4.3),
    Target("add", "", "Triton", 1.0),
    Target("softmax|log_softmax|rmsnorm|layernorm", "", BEST, 1.0),
    Target("transpose|cumsum", "", "", 3.5),
    Target("histogram", "", "", 2.0),
    Target("product", LARGE, "torch", 0.97),
    Target("product", LARGE, "Triton", 1.0),
    Target("product", f"(?!{LARGE})", "torch", 1.0),
    Target("epilogue", "", "plain", 0.98),
    Target("grouped product", "", "torch", 1.05),
    Target("attention", "", "cuDNN", 1.0),
    Target("attention", "", "Triton", 1.25),
    Target("attention backward", "", "cuDNN", 0.9),
    Target("decode", "", "", 4.2),
)


def main() -> int:
    options = parser(__doc__)
    options.add_argument("--only", default=",".join(SCRIPTS))
    options.add_argument("--rounds", type=int)
    given = options.parse_args()
    scripts = given.only.split(",")
    if unknown := sorted({*scripts} - {*SCRIPTS}):
        options.error(f"no benchmark {', '.join(unknown)}; there are {', '.join(SCRIPTS)}")
    if given.what != "run" and given.folder is None:
        options.error(f"{given.what} needs a folder")
    if given.what == "run":
        return run(scripts, given)
    copy_sources(given.folder / SOURCES)
    copy_packages(given.folder / SITE)
    return compile_all(scripts, given.folder, given.arch)


def compile_all(scripts: list[str], folder: Path, arch: str) -> int:
    """What the scripts launch, into a folder, by as many processes; how many of them failed."""
    commands = [[*program(script), "compile", str(folder), "--arch", arch] for script in scripts]
    running = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for command in commands]
    failed = [script for script, process in zip(scripts, running, strict=True) if process.wait()]
    print(f"failed to compile: {', '.join(failed)}" if failed else f"compiled for {arch} into {folder}", flush=True)
    return len(failed)


def run(scripts: list[str], given: argparse.Namespace) -> int:
    """Measure, and print the tables; how many results are wrong, not how many targets are missed."""
    wrong, figures = 0, list[Figure]()
    with TemporaryDirectory() as own:
        environment = dict(os.environ)
        if given.folder is None:
            os.umask(0o077)  # a cache is private to who owns it
            if failed := compile_all(scripts, Path(own), given.arch):
                return failed
            environment["FLYDSL_RUNTIME_CACHE_DIR"] = str(Path(own) / CACHE)
        folder = [] if given.folder is None else ["run", str(given.folder)]
        for script in scripts:
            written = Path(own) / f"{script}.json"
            rounds = [] if given.rounds is None or script in WITHOUT_ROUNDS else ["--rounds", str(given.rounds)]
            print(f"\n{script}", flush=True)
            command = [*program(script), *folder, *rounds, "--json", str(written)]
            wrong += subprocess.run(command, check=False, env=environment).returncode != 0
            figures += read(written) if written.exists() else []
    if given.json is not None:
        write(given.json, figures)
    print_targets(figures)
    return wrong


def program(script: str) -> list[str]:
    return [sys.executable, str(Path(__file__).with_name(f"{script}.py"))]


def rows(figures: list[Figure]) -> Iterator[tuple[Figure, Target, float]]:
    """Each figure with each of its targets, and what is compared."""
    for figure in figures:
        for target in TARGETS:
            found = target.found(figure) if target.applies_to(figure) else None
            if found is not None:
                yield figure, target, found


def print_targets(figures: list[Figure]) -> None:
    """The table of targets, and how many are met."""
    found = list(rows(figures))
    print(f"\n{'kernel':<20} {'case':<44} {OWN:>9} {'':<8} {'':>7} {'target':>7}")
    for figure, target, value in found:
        how = f"to {target.other}" if target.other else ""
        print(
            f"{figure.kernel:<20} {figure.case:<44} {figure.values[OWN]:>9.2f} {figure.unit:<8} {value:>7.3f} "
            f"{target.limit:>7g} {'' if target.is_met(value) else 'missed':<7} {'over ' * target.is_over}{how}"
        )
    print(f"{sum(target.is_met(value) for _, target, value in found)} of {len(found)} met")


if __name__ == "__main__":
    sys.exit(main())
