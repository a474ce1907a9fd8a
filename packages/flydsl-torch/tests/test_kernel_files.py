"""The kernels that a torch carries."""

from __future__ import annotations

from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from flydsl.base.errors import SettingError
from flydsl.torch import kernel_calls, kernel_files


def test_kernels_are_found_by_their_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = ModuleSpec("torch", None, is_package=True)
    spec.submodule_search_locations = [str(tmp_path)]
    monkeypatch.setattr(kernel_files, "find_spec", lambda name: spec)
    names = ["_native/ops/norm/flydsl_rows.py", "_inductor/kernel/vendored_templates/flydsl/kernels/gemm.py"]
    for name in (*names, "_native/ops/norm/triton_rows.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    assert kernel_files.torch_kernels() == {f"torch/{name}": tmp_path / name for name in names}


def test_a_torch_without_kernels_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_files, "find_spec", lambda name: None)
    with pytest.raises(SettingError, match=r"has no kernels of this language, 2\.15 is the first; give a folder"):
        kernel_files.torch_kernels()


def test_each_function_of_the_calls_is_for_a_file_of_kernels() -> None:
    names = {name for name in vars(kernel_calls) if not name.startswith("_") and name[0].islower()}
    assert {"flydsl_rmsnorm_fwd", "flydsl_kernels", "gemm_gfx950", "grouped_gemm_gfx950"} <= names
    assert kernel_files.torch_calls() == Path(kernel_calls.__file__)
