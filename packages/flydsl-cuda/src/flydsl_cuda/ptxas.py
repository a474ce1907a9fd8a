"""NVIDIA's assembler: where it is, and PTX in, machine code out."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from flydsl.base.errors import ToolchainError, ToolchainMissingError
from flydsl_cuda.settings import cuda
from flydsl_cuda.toolkit import find_program, which

if TYPE_CHECKING:
    from subprocess import CompletedProcess

OFF = "none"
"""The setting by which the driver assembles."""
_ANOTHER = f"FLYDSL_CUDA_PTXAS names another, or {OFF!r} for none"
_RELEASE = re.compile(r"release (\d+)\.(\d+)")
_PTX_OF_RELEASE = {(12, 5): 85, (12, 6): 85, (12, 7): 86, (12, 8): 87, (12, 9): 88}
"""Versions of PTX, times ten, that are not those of the release."""
_ENTRY = re.compile(r"Compiling entry function '([\w$.]+)'")
_PROPERTIES = re.compile(r"Function properties for '?([\w$.]+)'?")
_STACK = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_USED = re.compile(r"Used (\d+) registers")
_SHARED = re.compile(r"(\d+) bytes smem")
_TOO_MUCH_SHARED = re.compile(r"Entry function '(\w+)' uses too much shared data \(0x(\w+) bytes, 0x(\w+) max\)")
_UNDEFINED = re.compile(r"Unresolved extern function '(\w+)'")


_LOSS = re.compile(r"\((C75\d\d)\) Potential Performance Loss: (.+)")
_BLOCKS_IGNORED = re.compile(r"Value of threads per SM for entry (\w+) is out of range")
_UNOPTIMISED = "-O0"
_FENCE_ADDED = "C7519"  # costs nothing
_ELF = b"\x7fELF"
_VERSION_SECONDS, _ASSEMBLY_SECONDS = 60, 3600
"""After which a program counts as one that hangs."""
_MOST_TOLD = 2000
"""Characters of what a program says that an error repeats."""


class LostSpeedWarning(RuntimeWarning):
    """The assembler did something else than the program says, which is slower."""


class Resources(NamedTuple):
    """What one thread of a kernel needs, and the shared bytes of a block."""

    registers: int = 0
    spill_stores: int = 0
    spill_loads: int = 0
    stack: int = 0
    shared: int = 0


class Assembled(NamedTuple):
    """Machine code, and what its kernels need."""

    cubin: bytes
    kernels: Mapping[str, Resources]


def find_ptxas() -> Path | None:
    """The program that the setting names, else `find_program`'s.

    None when there is none, or when the setting says so. ToolchainMissingError for a setting that names no program.
    """
    named = cuda.ptxas
    if named.lower() == OFF:
        return None
    if named:
        path = os.path.expanduser(named)
        found = which(path)
        if found is None:
            is_file = os.path.dirname(path) and os.path.isfile(path)
            problem = "a file that may not be executed (chmod +x)" if is_file else "no program"
            raise ToolchainMissingError(
                f"FLYDSL_CUDA_PTXAS is {named!r}, which is {problem}; name one, or {OFF!r} for none"
            )
        return found
    return find_program("ptxas")


def newest_ptx(ptxas: Path) -> int:
    """The newest version of PTX that the program reads, times ten."""
    release = _release(ptxas, os.stat(ptxas).st_mtime_ns)
    major, minor = release
    return _PTX_OF_RELEASE.get(release, (major - 4) * 10 + minor)


def assemble(ptx: str, ptxas: Path, chip: str, flags: Sequence[str] = ()) -> Assembled:
    """The machine code of a module; ToolchainError with what the program says."""
    from tempfile import TemporaryDirectory  # here, as in `_run`: who finds code in the cache does without

    with TemporaryDirectory(prefix="flydsl-") as folder:
        source, target = Path(folder, "kernels.ptx"), Path(folder, "kernels.cubin")
        source.write_text(ptx, encoding="utf-8")
        command = [str(ptxas), f"-arch={chip}", "-v", *flags, source.name, "-o", target.name]
        done = _run(command, folder, _ASSEMBLY_SECONDS)
        log = done.stderr + done.stdout
        cubin = target.read_bytes() if target.exists() and not done.returncode else b""
        if not cubin.startswith(_ELF):
            raise _explained(log, ptxas, _ending(done.returncode, cubin))
        for loss in losses(log) if _UNOPTIMISED not in flags else ():
            warnings.warn(f"{ptxas.name}: {loss}", LostSpeedWarning, stacklevel=2)
        return Assembled(cubin, resources(log))


def losses(log: str) -> list[str]:
    """What `ptxas` says that it had to give up: matrix instructions one by one, budgets of registers ignored."""
    ignored = (
        f"the hint min_blocks_per_sm of kernel {name!r} is ignored: a multiprocessor has no threads for so many blocks"
        for name in _BLOCKS_IGNORED.findall(log)
    )
    return [*(f"{code}: {text}" for code, text in _LOSS.findall(log) if code != _FENCE_ADDED), *ignored]


def resources(log: str) -> dict[str, Resources]:
    """The kernels in the text that `ptxas -v` prints."""
    found: dict[str, Resources] = {}
    name = ""
    for line in log.splitlines():
        if match := _ENTRY.search(line):
            name = match[1]
            found[name] = Resources()
        elif match := _PROPERTIES.search(line):
            name = match[1]
        elif name not in found:  # a function that kernels call, whose registers and stack count as theirs
            continue
        elif match := _STACK.search(line):
            stack, stores, loads = map(int, match.groups())
            found[name] = found[name]._replace(stack=stack, spill_stores=stores, spill_loads=loads)
        elif match := _USED.search(line):
            shared = _SHARED.search(line)
            found[name] = found[name]._replace(registers=int(match[1]), shared=int(shared[1]) if shared else 0)
    return found


@lru_cache(maxsize=8)
def _release(ptxas: Path, changed_ns: int) -> tuple[int, int]:
    said = _run([str(ptxas), "--version"], None, _VERSION_SECONDS).stdout
    match = _RELEASE.search(said)
    if match is None:
        raise ToolchainError(f"{ptxas} is no ptxas: to --version it says {said.strip()[:200]!r}; {_ANOTHER}")
    return int(match[1]), int(match[2])


def _run(command: Sequence[str], folder: str | None, seconds: float) -> CompletedProcess[str]:
    import subprocess

    try:
        return subprocess.run(
            command, cwd=folder, capture_output=True, text=True, errors="replace", check=False, timeout=seconds
        )
    except OSError as error:
        raise ToolchainError(f"{command[0]} cannot be run: {error.strerror or error}; {_ANOTHER}") from None
    except subprocess.TimeoutExpired:
        raise ToolchainError(
            f"{command[0]} has not ended after {seconds:g} s: {' '.join(command[1:])}; {_ANOTHER}"
        ) from None


def _ending(status: int, cubin: bytes) -> str:
    """How a program ended that made no code."""
    import signal

    if status > 0:
        return f"it ended with status {status}"
    if status < 0:
        return f"it was ended by signal {signal.strsignal(-status) or -status}"
    return f"it wrote {len(cubin)} bytes that are no machine code"


def _explained(said: str, ptxas: Path, ending: str) -> ToolchainError:
    """The error, or one that says what the device lacks."""
    if too_much := _TOO_MUCH_SHARED.search(said):
        kernel, needed, limit = too_much[1], int(too_much[2], 16), int(too_much[3], 16)
        return ToolchainError(
            f"kernel {kernel!r} needs {needed} bytes of shared memory for a block, which has {limit} that are "
            "allocated in the kernel: allocate less, or ask for dynamic shared memory",
            kernel=kernel,
        )
    if missing := _UNDEFINED.search(said):
        return ToolchainError(f"the kernel calls {missing[1]!r}, which nothing defines")
    told = said.strip()
    if len(told) > _MOST_TOLD:
        told = f"{told[:_MOST_TOLD]} ... ({len(told)} characters)"
    if not told:
        return ToolchainError(f"{ptxas} makes no code of the PTX and says nothing: {ending}; {_ANOTHER}")
    return ToolchainError(f"{ptxas} refuses the PTX ({ending}): {told}")
