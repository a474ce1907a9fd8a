"""Sessions with arguments, run in the environment of `make setup`; the matrix of installations is in tox.ini."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import nox

nox.options.default_venv_backend = "none"
nox.options.sessions = ["lint", "test"]

ROOT = Path(__file__).parent
PYTHON = sys.executable  # sessions run in the environment that nox runs in, whatever `python` is on the PATH
SOURCES = [str(path.relative_to(ROOT)) for path in sorted(ROOT.glob("packages/*/src"))]
C_SOURCES = [f"packages/*/{folder}/**/*.{kind}" for folder in ("src", "tests") for kind in ("c", "cpp", "h")]
NATIVE_FILES = [str(path.relative_to(ROOT)) for pattern in C_SOURCES for path in sorted(ROOT.glob(pattern))]
ONCE = ("--dist", "loadfile", "--max-worker-restart=0")  # pytest-xdist waits for ever for the tests of a crashed worker
CLANG_FORMAT = str(Path(PYTHON).parent / "clang-format")  # the wheel of the `lint` group, not the system's


@nox.session
def lint(session: nox.Session) -> None:
    """ruff's rules and layout on everything, mypy --strict on the sources, clang-format on C and C++."""
    session.run(PYTHON, "-m", "ruff", "check", ".")
    session.run(PYTHON, "-m", "ruff", "format", "--check", ".")
    session.run(PYTHON, "-m", "mypy", *SOURCES)
    session.run(CLANG_FORMAT, "--dry-run", "-Werror", *NATIVE_FILES)


@nox.session
def tidy(session: nox.Session) -> None:
    """clang-tidy on C and C++, by .clang-tidy; it needs the Debian package clang-tidy-22 and takes long."""
    for package in ("mlir", "cpu", "rocm", "cuda", "hipsim", "jax", "reader"):
        folder = f"build/tidy/{package}"
        options = ("-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", f"-DPython_EXECUTABLE={PYTHON}", "--log-level=WARNING")
        session.run("cmake", "-G", "Ninja", "-S", f"packages/flydsl-{package}", "-B", folder, *options, external=True)
        tool = ("run-clang-tidy-22", "-quiet", "-clang-tidy-binary", "clang-tidy-22", "-p", folder)
        session.run(*tool, f"packages/flydsl-{package}/src/native/", external=True)


@nox.session
def sanitize(session: nox.Session) -> None:
    """Tests of native code with sanitizers: `-- address` (and undefined behaviour), `-- thread`, or both one by one."""
    runs = [session.posargs] if session.posargs else [["address"], ["thread"]]
    for arguments in runs:
        session.run(PYTHON, "scripts/sanitize.py", *arguments)


@nox.session
def test(session: nox.Session) -> None:
    """The whole suite, on all cores; arguments go to pytest."""
    session.run(PYTHON, "-m", "pytest", "-q", "-n", "auto", *ONCE, *session.posargs)


@nox.session
def coverage(session: nox.Session) -> None:
    """Lines and branches of the core that its own tests run, with those of programs that they start."""
    tests = session.posargs or ["packages/flydsl-core/tests"]  # no xdist: a worker that is slow to end loses its data
    session.run(PYTHON, "-m", "coverage", "erase")
    session.run(PYTHON, "-m", "coverage", "run", "-m", "pytest", "-q", *tests)
    session.run(PYTHON, "-m", "coverage", "combine", "--quiet")
    session.run(PYTHON, "-m", "coverage", "report")


@nox.session
def core(session: nox.Session) -> None:
    """The tests of flydsl-core where neither LLVM nor a backend nor a framework can be imported."""
    session.run(PYTHON, "scripts/core_alone.py", *session.posargs)


@nox.session
def nightly(session: nox.Session) -> None:
    """The long runs of integration-tests/nightly and one table of what they saw; `-- --scale 0.01` for a short one."""
    session.run(PYTHON, "scripts/nightly.py", *session.posargs)


@nox.session
def clients(session: nox.Session) -> None:
    """Kernels written elsewhere, run on simulated chips: `-- FOLDER`, with a file of `--calls`; alone, torch's own."""
    chips = [word for chip in ("gfx942", "gfx950", "gfx1201", "gfx1250") for word in ("--target", chip)]
    session.run("flydsl", "try", *(session.posargs or ["--of", "torch"]), "--backend", "rocm", *chips, external=True)


@nox.session
def promises(session: nox.Session) -> None:
    """What kernels compute without each promise to LLVM and ptxas, for 5 minutes; `-- --seconds 120 cpu` for other."""
    session.run(PYTHON, "scripts/promises.py", *session.posargs)


@nox.session
def versions(session: nox.Session) -> None:
    """Tests, examples and random programs with each supported version of other projects: `-- torch --only 2.11`."""
    session.run(PYTHON, "scripts/versions.py", *session.posargs)


@nox.session
def simulate(session: nox.Session) -> None:
    """Tests of kernels and of AMD code on every simulated chip, with the waves of a block in three orders; then clang's
    kernels at every level, and all tests of kernels in the interpreter."""
    tests = ("integration-tests/kernels", "integration-tests/rocm", "packages/flydsl-hipsim/tests/test_conformance.py")
    with TemporaryDirectory() as code:  # what is compiled for the first order serves the others
        for order in ("forward", "backward", "random:7"):
            chips = f"gfx942,gfx942,gfx950,gfx1100,gfx1201,gfx1250,gfx90a,order={order}"
            env = {"KERNEL_TESTS_EVERYWHERE": "1", "KERNEL_TESTS_CACHE": code, "FLYDSL_HIPSIM": chips}
            session.run(PYTHON, "-m", "pytest", "-q", "-n", "auto", *tests, *session.posargs, env=env)
    programs = ("programs/test_portable", "programs/test_groups", "memory/test_atomics", "programs/test_crossing")
    corpus = [f"packages/flydsl-hipsim/tests/{name}.py" for name in programs]
    everywhere = {"KERNEL_TESTS_EVERYWHERE": "1"}
    interpreted = "integration-tests/cpu/test_interpreter_agreement.py"
    session.run(PYTHON, "-m", "pytest", "-q", "-n", "auto", *corpus, interpreted, *session.posargs, env=everywhere)


@nox.session
def bench(session: nox.Session) -> None:
    """Every benchmark: a table for each, and JSON beside it."""
    for script in sorted(ROOT.glob("benchmarks/bench_*.py")):
        session.run(PYTHON, str(script), *session.posargs)


@nox.session
def version(session: nox.Session) -> None:
    """Set the version of all distributions: `nox -s version -- 0.2.0`."""
    session.run(PYTHON, "scripts/set_version.py", *session.posargs)


@nox.session
def scaffold_backend(session: nox.Session) -> None:
    """A plugin with a backend and a runtime to start from: `nox -s scaffold_backend -- NAME [FOLDER]`."""
    session.run(PYTHON, "scripts/scaffold_backend.py", *session.posargs)


@nox.session
def changelog(session: nox.Session) -> None:
    """Move the fragments into CHANGELOG.md, under the version of the distributions; with `-- --draft` print them."""
    stated = nox.project.load_toml(ROOT / "pyproject.toml")["project"]["version"]
    session.run(PYTHON, "-m", "towncrier", "build", "--yes", "--version", stated, *session.posargs)


@nox.session(venv_backend="venv")
def release(session: nox.Session) -> None:
    """All wheels and source distributions in dist/, checked, and tried on each Python with no LLVM in sight.

    `-- --python PROGRAM` names an interpreter, `-- --only check` a step.
    """
    session.install(*nox.project.dependency_groups(nox.project.load_toml(ROOT / "pyproject.toml"), "release"))
    session.run("python", "scripts/release.py", *session.posargs)
