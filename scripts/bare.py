"""A machine with Python and nothing else: an empty environment, wheels, and none of LLVM's files in sight."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

DISTRIBUTIONS = ("core", "cpu", "rocm", "cuda", "hipsim[hip]", "reader", "compat")
"""All that no framework is needed for."""
LIBRARIES = ("numpy>=2.1", "ml-dtypes>=0.5")
HIDDEN = ("/usr/lib/llvm-*", "/usr/lib/*/libLLVM*", "/usr/lib/*/libMLIR*", "/usr/lib/*/liblld*", "/opt/rocm*")
_HIDE = """
for path in {patterns}; do
  if [ -L "$path" ]; then continue; fi
  if [ -d "$path" ]; then mount -t tmpfs none "$path"; fi
  if [ -f "$path" ]; then mount --bind /dev/null "$path"; fi
done
exec "$@"
"""
_OF_LLVM = re.compile(r"file=(\S*(?:libLLVM|libMLIR|liblld|/llvm-\d+/)\S*)")
SAXPY = """
import flydsl.compiler as flyc
import flydsl.expr as fx


@flyc.kernel
def saxpy_kernel(x: fx.Tensor, y: fx.Tensor, factor: fx.Float32):
    i = fx.block_idx.x * 256 + fx.thread_idx.x
    if i < x.shape[0]:
        y[i] = x[i] * factor + y[i]


@flyc.jit
def saxpy(x: fx.Tensor, y: fx.Tensor, factor: fx.Float32):
    saxpy_kernel(x, y, factor).launch(grid=fx.ceil_div(x.shape[0], 256), block=256)
"""
ARGUMENTS = ("--arg", "f32(?):(1)", "--arg", "f32(?):(1)", "--arg", "f32")
CPU = ("01_vector_add", "03_tiled_mma", "08_scan", "09_softmax", "12_tiled_gemm")
SIMULATED = {"gfx942": ("09_softmax", "12_tiled_gemm"), "gfx1201": ("12_tiled_gemm",)}
COMPILED = (("cuda", "sm_90a", ".visible .entry"), ("rocm", "gfx950", "s_endpgm"), ("cpu", "x86-64-v3", "vmul"))


@dataclass(frozen=True, slots=True)
class Bare:
    """The trial of the wheels in `dist` with one `python`, in the empty `folder`."""

    folder: Path
    python: str
    dist: Path
    examples: Path

    def run(self) -> None:
        """Install everything and use it; SystemExit when anything fails or opens a file of LLVM."""
        self._install()
        report = self._call("flydsl", "doctor")  # which ends with 1 when anything is broken
        print("   " + next(line for line in report.splitlines() if "toolchain" in line).strip(), flush=True)
        for name in CPU:
            self._example(name, FLYDSL_COMPILE_BACKEND="cpu")
        for chip, names in SIMULATED.items():
            for name in names:
                self._example(name, FLYDSL_COMPILE_BACKEND="rocm", FLYDSL_HIPSIM=chip)
        source = self.folder / "saxpy.py"
        source.write_text(SAXPY)
        for backend, target, expected in COMPILED:
            command = (
                "compile",
                f"{source}:saxpy",
                *ARGUMENTS,
                "--backend",
                backend,
                "--target",
                target,
                "--emit",
                "isa",
            )
            if expected not in self._call("flydsl", *command):
                raise SystemExit(f"the code for {target} lacks {expected!r}")
            print(f"   compiled for {backend} {target}", flush=True)

    def _install(self) -> None:
        _done([self.python, "-m", "venv", str(self.folder / "venv")])
        names = [f"flydsl-{name}" for name in DISTRIBUTIONS]
        pip = [self._program("python"), "-m", "pip", "--disable-pip-version-check"]
        _done(
            [*pip, "install", "--quiet", "--only-binary", ":all:", "--find-links", str(self.dist), *names, *LIBRARIES]
        )
        _done([*pip, "check"])
        print(f"   installed {', '.join(names)}", flush=True)

    def _example(self, name: str, **settings: str) -> None:
        said = self._call("python", str(self.examples / f"{name}.py"), **settings)
        backend = settings.get("FLYDSL_HIPSIM") or settings["FLYDSL_COMPILE_BACKEND"]
        print(f"   {name} on {backend}: {said.strip().splitlines()[-1]}", flush=True)

    def _call(self, program: str, *arguments: str, **settings: str) -> str:
        """What a program of the environment prints, with no file of LLVM in sight; none may be opened."""
        log = self.folder / "opened"
        shutil.rmtree(log, ignore_errors=True)
        log.mkdir()
        environment = {
            **{"HOME": str(self.folder), "PATH": f"{self.folder / 'venv/bin'}:/usr/bin:/bin", **settings},
            **{"LD_DEBUG": "files", "LD_DEBUG_OUTPUT": str(log / "files")},
        }
        said = _done([*_hidden(), self._program(program), *arguments], environment, self.folder)
        opened = {name for file in log.iterdir() for name in _OF_LLVM.findall(file.read_text(errors="replace"))}
        if opened:
            raise SystemExit(f"{program} {' '.join(arguments)} opened {', '.join(sorted(opened))}")
        return said

    def _program(self, name: str) -> str:
        return str(self.folder / "venv/bin" / name)


def _hidden() -> list[str]:
    """What stands before a command that must not see LLVM; nothing where this user may not mount."""
    mapped = [] if os.geteuid() == 0 else ["--map-root-user"]
    line = ["unshare", "--mount", *mapped]
    if shutil.which("unshare") is None or subprocess.run([*line, "true"], capture_output=True).returncode:
        print("   (this user cannot hide LLVM's files: only what is opened is looked at)", flush=True)
        return []
    return [*line, "sh", "-c", _HIDE.format(patterns=" ".join(HIDDEN)), "sh"]


def _done(command: list[str], environment: dict[str, str] | None = None, folder: Path | None = None) -> str:
    done = subprocess.run(
        command, env=environment, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[-8000:]}")
    return done.stdout
