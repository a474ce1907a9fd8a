"""A fresh machine in, a virtual environment with every distribution of this workspace installed for development out.

Usage: python3 scripts/bootstrap.py [VENV]. Quick when nothing changed: a stamp in the environment holds a digest of all
that it was made from. Needs Python 3.11 to 3.13 and only the standard library. System packages are installed when this
runs as root on a Debian system; otherwise it prints the command that installs them.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LLVM = Path("/usr/lib/llvm-22")
SYSTEM_PACKAGES = {
    "libmlir-22-dev": LLVM / "include/mlir/IR/MLIRContext.h",
    "llvm-22-dev": LLVM / "include/llvm/IR/Module.h",
    "liblld-22-dev": LLVM / "include/lld/Common/Driver.h",
    "llvm-22": LLVM / "bin/llvm-objdump",
    "lld-22": LLVM / "bin/ld.lld",
    "mlir-22-tools": LLVM / "bin/mlir-opt",
    "clang-22": LLVM / "bin/clang",
    "rocm-device-libs": Path("/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"),
    "g++": Path("/usr/bin/g++"),
    "cmake": Path("/usr/bin/cmake"),
    "ninja-build": Path("/usr/bin/ninja"),
}
DISTRIBUTIONS = (
    *("flydsl-core", "flydsl-mlir", "flydsl-cpu", "flydsl-rocm", "flydsl-cuda", "flydsl-hipsim"),
    *("flydsl-torch", "flydsl-jax", "flydsl-reader", "flydsl-compat"),
)
NVIDIA_PROGRAMS = ("nvidia-cuda-nvcc==13.0.88", "nvidia-cuda-nvdisasm==13.5.37")
"""NVIDIA's assembler and disassembler alone: what the wheels require is for compiling C++, and three times as large."""
GROUPS = ("dev", "torch", "jax")  # jaxlib has the header that flydsl-jax is built with


def main() -> int:
    if not (3, 11) <= sys.version_info[:2] <= (3, 13):
        return fail(f"Python 3.11 to 3.13 is needed, this is {sys.version.split()[0]}; run `make PYTHON=python3.12`")
    venv = (ROOT / (sys.argv[1] if len(sys.argv) > 1 else ".venv")).resolve()
    stamp = venv / ".flydsl-stamp"
    digest = inputs_digest()
    missing = [package for package, probe in SYSTEM_PACKAGES.items() if not probe.exists()]
    if not missing and stamp.exists() and stamp.read_text() == digest:
        return 0
    if missing and not install_system_packages(missing):
        return 1
    make_venv(venv)
    install(venv)
    stamp.write_text(digest)
    return 0


def inputs_digest() -> str:
    """What the environment was made from: this script, project files, native sources, the interpreter."""
    package_files = ("pyproject.toml", "CMakeLists.txt", "*.cmake", "src/native/**/*")
    patterns = ("pyproject.toml", *(f"packages/*/{name}" for name in package_files))
    found = (path for pattern in patterns for path in sorted(ROOT.glob(pattern)))
    files = [Path(__file__), *(path for path in found if path.is_file())]
    state = hashlib.sha256(f"{sys.version}\0{ROOT}".encode())
    for path in files:
        state.update(f"\0{path.name}\0".encode() + path.read_bytes())
    return state.hexdigest()


def install_system_packages(missing: list[str]) -> bool:
    if shutil.which("apt-get") is None:
        fail(f"these Debian packages, or what they hold, are needed: {' '.join(missing)} (LLVM and MLIR 22)")
        return False
    names = list(missing)
    if not (Path(sys.prefix) / "bin").exists() or shutil.which("python3-config") is None:
        names += ["python3-venv", "python3-dev"]
    if os.geteuid() != 0:
        fail(f"system packages are missing, and only root can install them:\n  sudo apt-get install {' '.join(names)}")
        return False
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    say(f"installing system packages: {' '.join(names)}")
    run(["apt-get", "update", "-qq"], env=environment)
    run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", *names], env=environment)
    return True


def make_venv(venv: Path) -> None:
    if (venv / "bin/python").exists():
        return
    say(f"making a virtual environment in {venv.name}")
    try:
        run([sys.executable, "-m", "venv", str(venv)])
    except subprocess.CalledProcessError:
        if os.geteuid() != 0 or shutil.which("apt-get") is None:
            advice = "run: sudo apt-get install python3-venv python3-dev"
            raise SystemExit(f"no virtual environment could be made; {advice}") from None
        shutil.rmtree(venv, ignore_errors=True)
        run(["apt-get", "install", "-y", "-qq", "python3-venv", "python3-dev"])
        run([sys.executable, "-m", "venv", str(venv)])


def install(venv: Path) -> None:
    """Tools first (siblings are built without isolation), then all siblings in one go: they need each other."""
    pip = [str(venv / "bin/python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    say("installing development tools")
    run([*pip, "--upgrade", "pip>=25.1"])
    run([*pip, *(word for group in GROUPS for word in ("--group", f"{ROOT / 'pyproject.toml'}:{group}"))])
    run([*pip, "--no-deps", *NVIDIA_PROGRAMS])
    say("building and installing the distributions of this workspace")
    siblings = [ROOT / "packages" / name for name in DISTRIBUTIONS]
    editable = [argument for path in siblings if path.exists() for argument in ("-e", str(path))]
    run([*pip, "--no-build-isolation", *editable])


def run(command: list[str], env: dict[str, str] | None = None) -> None:
    subprocess.run(command, check=True, cwd=ROOT, env=env)


def say(text: str) -> None:
    print(f"-- {text}", flush=True)


def fail(text: str) -> int:
    print(f"error: {text}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
