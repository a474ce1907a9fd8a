"""Tests of native code with its libraries built by a sanitizer of GCC: `sanitize.py address` or `sanitize.py thread`.

The libraries and an environment that sees them lie in `build/sanitize/KIND`; what is installed for development is left
alone. `python` of that environment is a script: it starts Python with the sanitizer's runtime loaded first, and
programs that Python starts, clang for one, run without it. LLVM is not instrumented. Arguments after the kind go to
pytest.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SUPPRESSIONS = Path(__file__).with_name("sanitize")
_FINDING = re.compile(r"ERROR: |WARNING: ThreadSanitizer|runtime error: ")
NATIVE = ("mlir", "cpu", "rocm", "cuda", "hipsim", "jax", "reader")


@dataclass(frozen=True, slots=True)
class Sanitizer:
    """What one kind of build is made with, and what it runs."""

    flag: str
    runtime: str
    options: dict[str, str]
    tests: tuple[str, ...]


# There is one library of the simulator here, not one for each level of x86-64.
NOT_RUN = "--ignore=packages/flydsl-hipsim/tests/runtime/test_levels.py"
EVERY_TEST = tuple(f"packages/flydsl-{name}/tests" for name in ("mlir", "cpu", "hipsim", "jax", "reader"))
SANITIZERS = {
    "address": Sanitizer(
        "address,undefined",
        "libasan.so",
        {
            # The interpreter keeps what it has until it ends; tests provoke allocations that must fail.
            # A fault ends the process by its signal, as it does without the sanitizer: tests look at that.
            "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:detect_stack_use_after_return=1"
            ":handle_segv=0:handle_sigbus=0:handle_sigill=0:handle_sigfpe=0",
            "UBSAN_OPTIONS": "print_stacktrace=1",
        },
        (
            *EVERY_TEST,
            "packages/flydsl-rocm/tests/runtime",
            "packages/flydsl-rocm/tests/test_toolkit.py",
            "packages/flydsl-cuda/tests/runtime",
        ),
    ),
    "thread": Sanitizer(
        "thread",
        "libtsan.so",
        {
            # LLVM's crash recovery leaves a signal handler by longjmp: all that follows would count as inside of it.
            "TSAN_OPTIONS": "halt_on_error=1:die_after_fork=0:allocator_may_return_null=1:report_signal_unsafe=0:"
            f"suppressions={SUPPRESSIONS / 'thread.txt'}"
        },
        (
            "packages/flydsl-mlir/tests",
            "packages/flydsl-cpu/tests",
            "packages/flydsl-jax/tests/native",  # a program without XLA, whose code the sanitizer does not know
            # Signals between threads wait for a call that the sanitizer sees, which generated code does not make.
            "--ignore=packages/flydsl-cpu/tests/runtime/test_interrupts.py",
            *(f"packages/flydsl-hipsim/tests/{name}" for name in ("hip", "checks", "runtime", "test_program.py")),
            "packages/flydsl-hipsim/tests/programs/test_spinning.py",
            "packages/flydsl-hipsim/tests/programs/test_groups.py",
            "packages/flydsl-hipsim/tests/memory/test_atomics.py",
        ),
    ),
}


def main(kind: str, *arguments: str) -> int:
    sanitizer = SANITIZERS[kind]
    folder = ROOT / "build/sanitize" / kind
    for name in NATIVE:
        build(name, folder, sanitizer)
    python = make_environment(folder, sanitizer)
    tests = [] if any(Path(argument.split("::")[0]).exists() for argument in arguments) else sanitizer.tests
    command = [
        str(python),
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--capture=sys",
        "--timeout=1800",
        NOT_RUN,
        *tests,
        *arguments,
    ]
    code = subprocess.run(command, cwd=ROOT).returncode
    # An allocation that must fail is a warning in a file of its own, and no finding.
    reports = [path for path in sorted((folder / "reports").iterdir()) if _FINDING.search(path.read_text())]
    for report in reports:
        print(f"-- {report.name}\n{report.read_text()}", file=sys.stderr)
    return code or len(reports)


def build(name: str, folder: Path, sanitizer: Sanitizer) -> None:
    """One package's libraries, installed into `folder/packages` beside links to its Python files."""
    source, made = ROOT / f"packages/flydsl-{name}", folder / name
    options = {
        "CMAKE_BUILD_TYPE": "RelWithDebInfo",
        "CMAKE_C_FLAGS_RELWITHDEBINFO": "-O1 -g",
        "CMAKE_CXX_FLAGS_RELWITHDEBINFO": "-O1 -g",
        "FLYDSL_SANITIZE": sanitizer.flag,
        "Python_EXECUTABLE": sys.executable,
        "SKBUILD_PROJECT_VERSION_FULL": tomllib.loads((source / "pyproject.toml").read_text())["project"]["version"],
    }
    definitions = [f"-D{option}={value}" for option, value in options.items()]
    run("cmake", "-G", "Ninja", "-S", str(source), "-B", str(made), *definitions, "--log-level=WARNING")
    run("cmake", "--build", str(made))
    run("cmake", "--install", str(made), "--prefix", str(folder / "packages"))
    package = folder / "packages" / f"flydsl_{name}"
    for link in filter(Path.is_symlink, package.iterdir()):  # those of an earlier run may lead to files that have moved
        link.unlink()
    for file in (source / "src" / package.name).iterdir():
        link = package / file.name
        if file.suffix != ".so" and file.name != "__pycache__" and not link.exists():
            link.symlink_to(file)


def make_environment(folder: Path, sanitizer: Sanitizer) -> Path:
    """A virtual environment with this one's packages, but the instrumented ones in front; its `python`."""
    environment = folder / "venv"
    venv.create(environment, symlinks=True)
    native = tuple(str(ROOT / f"packages/flydsl-{name}/src") for name in NATIVE)
    sources = [str(ROOT / f"packages/flydsl-{name}/src") for name in ("core", "torch", "jax")]
    installed = [path for path in sys.path if path.endswith("site-packages") and path not in native]
    site = environment / f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    (site / "sanitized.pth").write_text("\n".join([str(folder / "packages"), *sources, *installed]) + "\n")
    (site / "sitecustomize.py").write_text("import os\n\nos.environ.pop('LD_PRELOAD', None)\n")
    # libstdc++ too: the runtime looks for the functions that it replaces when it starts.
    libraries = [gcc_file(name) for name in (sanitizer.runtime, "libstdc++.so")]
    # Reports go to files: what a test's process prints is lost when it ends by one.
    reports = folder / "reports"
    shutil.rmtree(reports, ignore_errors=True)
    reports.mkdir()
    options = {
        name: f"{text}:log_path={reports / name.split('_')[0].lower()}" for name, text in sanitizer.options.items()
    }
    # Programs that tests build are built alike.
    exports = {"LD_PRELOAD": " ".join(libraries), "FLYDSL_SANITIZE": sanitizer.flag, **options}
    python, real = environment / "bin/python", os.path.realpath(sys.executable)
    python.unlink()
    lines = [f"export {name}={value!r}" for name, value in exports.items()]
    python.write_text("\n".join(["#!/bin/bash", *lines, f'exec -a "$0" {real} "$@"']) + "\n")
    python.chmod(0o755)
    return python


def gcc_file(name: str) -> str:
    """A library of the compiler, by its real name: `libasan.so` may be a linker script beside the library."""
    found = subprocess.run(["gcc", f"-print-file-name={name}"], check=True, capture_output=True, text=True).stdout
    return os.path.realpath(found.strip())


def run(*command: str) -> None:
    subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL if "--install" in command else None)


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in SANITIZERS:
        sys.exit(f"usage: sanitize.py {'|'.join(SANITIZERS)} [argument of pytest ...]")
    sys.exit(main(*sys.argv[1:]))
