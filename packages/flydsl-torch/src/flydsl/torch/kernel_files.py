"""The kernels that an installed torch carries: overrides of its operations and templates of its compiler."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from flydsl.base.errors import SettingError

_FIRST = (2, 15)
_PATTERNS = (
    "_native/ops/*/flydsl_*.py",
    "_native/ops/*/flydsl_*/*.py",
    "_inductor/codegen/flydsl/*.py",
    "_inductor/kernel/vendored_templates/flydsl/**/*.py",
)


def torch_kernels() -> dict[str, Path]:
    """Its files of kernels; SettingError without torch, or with one that has none."""
    try:
        installed = version("torch")
    except PackageNotFoundError:
        raise SettingError("torch is not installed; give a folder with its sources") from None
    spec = find_spec("torch")
    folders = () if spec is None else spec.submodule_search_locations or ()
    found = {
        f"torch/{path.relative_to(folder)}": path
        for folder in map(Path, folders)
        for pattern in _PATTERNS
        for path in sorted(folder.glob(pattern))
    }
    if not found:
        first = ".".join(map(str, _FIRST))
        raise SettingError(f"torch {installed} has no kernels of this language, {first} is the first; give a folder")
    return found


def torch_calls() -> Path:
    """The file with calls of these kernels, and checks."""
    return Path(__file__).with_name("kernel_calls.py")
