"""pytest in an environment that holds flydsl-core without toolchain, backends and frameworks: arguments go to pytest,
and are the tests of the core without any.

Their packages and their distributions' entry points are hidden, in subprocesses of tests too.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
DISTRIBUTIONS = (
    "flydsl-mlir",
    "flydsl-cpu",
    "flydsl-rocm",
    "flydsl-cuda",
    "flydsl-hipsim",
    "flydsl-torch",
    "flydsl-jax",
    "flydsl-reader",
    "flydsl-compat",
)
PACKAGES = (
    *("flydsl_mlir", "flydsl_cpu", "flydsl_rocm", "flydsl_cuda", "flydsl_hipsim", "mlir"),
    *("flydsl.torch", "torch", "flydsl.jax", "flydsl_jax", "jax", "jaxlib", "flydsl_reader", "flydsl._mlir"),
)
SITE = f"""
import sys

class Without:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, *args, **kwargs):
        hidden = any(name == package or name.startswith(package + ".") for package in {PACKAGES!r})
        return None if hidden else self.finder.find_spec(name, *args, **kwargs)

    def __getattr__(self, name):
        found = getattr(self.finder, name)
        if name != "find_distributions":
            return found
        return lambda *args: (d for d in found(*args) if d.name.replace("_", "-") not in {DISTRIBUTIONS!r})

sys.meta_path[:] = [Without(finder) for finder in sys.meta_path]
"""


def environment(folder: Path) -> dict[str, str]:
    """Variables for Python processes that see the core alone; `folder` gets what they import first."""
    (folder / "sitecustomize.py").write_text(SITE)
    for name in DISTRIBUTIONS:  # of two distributions of one name the first on the path counts
        info = folder / f"{name.replace('-', '_')}-0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0\n")
    return {
        "HYPOTHESIS_PROFILE": "quick",
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")])),
    }


def main() -> int:
    """Run pytest; its exit code."""
    arguments = sys.argv[1:] or ["-q", "-n", "auto", "--dist", "loadfile", "packages/flydsl-core/tests"]
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pytest", *arguments]
        return subprocess.run(command, env=environment(Path(folder)), cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
