"""Where NVIDIA's programs and its device library are: wheels, a CUDA toolkit, the PATH, and the copies of Triton."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from flydsl_cuda.settings import cuda

_TRITONS = "backends/nvidia/bin"
_LIBDEVICE = "libdevice.10.bc"
_USUAL = Path("/usr/local/cuda")
_IN_TOOLKIT = f"nvvm/libdevice/{_LIBDEVICE}"


def find_program(name: str) -> Path | None:
    """The first that can be run, of NVIDIA's wheels, of CUDA_HOME, of the PATH, of Triton; None when there is none."""
    return next(filter(_is_program, _candidates(name)), None)


def find_libdevice() -> Path | None:
    """The device library of the first of these that has one: NVIDIA's wheels, CUDA_HOME, the toolkit of the `nvcc` or
    `ptxas` on the PATH, /usr/local/cuda, Triton.
    """
    return next(filter(Path.is_file, _libraries()), None)


def _libraries() -> Iterator[Path]:
    for root in _folders("nvidia"):
        yield from sorted(root.glob(f"*/{_IN_TOOLKIT}"), reverse=True)
    if cuda.cuda_home is not None:
        yield cuda.cuda_home / _IN_TOOLKIT
    for program in filter(None, map(which, ("nvcc", "ptxas"))):
        yield program.resolve().parent.parent / _IN_TOOLKIT
    yield _USUAL / _IN_TOOLKIT
    for root in _folders("triton"):
        yield root / "backends/nvidia/lib" / _LIBDEVICE


def which(name: str) -> Path | None:
    """The program of that name on the PATH, or at that path; `shutil.which` takes 5 ms to import at every start.

    Folders of the PATH that are relative to the working folder do not count.
    """
    folders = [""] if os.path.dirname(name) else filter(os.path.isabs, os.get_exec_path())
    return next(filter(_is_program, (Path(folder, name).absolute() for folder in folders)), None)


def _candidates(name: str) -> Iterator[Path]:
    for root in _folders("nvidia"):
        yield from sorted(root.glob(f"*/bin/{name}"), reverse=True)
    home = cuda.cuda_home
    if home is not None:
        yield home / "bin" / name
    if on_path := which(name):
        yield on_path
    for root in _folders("triton"):
        yield root / _TRITONS / name


def _folders(package: str) -> list[Path]:
    """Of an installed package, which is not imported: beside what pip wrote of its distribution.

    A folder of that name beside the script or in the working folder is a package for Python, too, and nobody's program.
    """
    spec = find_spec(package)
    found = [Path(folder) for folder in (spec.submodule_search_locations or ()) if folder] if spec else []
    return [folder for folder in found if any(folder.parent.glob(f"{package}*.dist-info"))]


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)
