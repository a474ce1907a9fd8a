"""The ctypes mirror of fly_abi.h against a C compiler's view of the header."""

from __future__ import annotations

import ctypes
import re
import subprocess
from pathlib import Path

import pytest

from flydsl.base.launch_flags import LAUNCH_COOPERATIVE, LAUNCH_DEPENDENT
from flydsl.runtime import abi

HEADER = abi.include_dir() / "fly_abi.h"
NAMES = ("FlyLaunchConfig", "FlyTensorMapSpec", "FlyRuntimeApi", "FlyLaunchCtx", "FlyCpuBlock", "FlyCpuKernelInfo")
STRUCTS = {name: getattr(abi, name) for name in NAMES}


def compile_and_run(source: str, folder: Path) -> str:
    (folder / "probe.c").write_text(source)
    include = f"-I{abi.include_dir()}"
    subprocess.run(["cc", "-std=c11", "-Werror", include, "probe.c", "-o", "probe"], cwd=folder, check=True)
    return subprocess.run([folder / "probe"], capture_output=True, text=True, check=True).stdout


def test_every_size_and_offset_is_the_c_compilers(tmp_path: Path) -> None:
    lines = []
    expected = []
    for name, mirror in STRUCTS.items():
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        expected.append(f"{name} {ctypes.sizeof(mirror)}")
        for field in mirror._fields_:
            lines.append(f'printf("{name}.{field[0]} %zu\\n", offsetof({name}, {field[0]}));')
            expected.append(f"{name}.{field[0]} {getattr(mirror, field[0]).offset}")
    includes = "#include <stddef.h>\n#include <stdio.h>\n#include <fly_abi.h>\n"
    source = f"{includes}int main(void) {{ {''.join(lines)} return 0; }}"
    assert compile_and_run(source, tmp_path).splitlines() == expected


def test_constants_are_those_of_the_header() -> None:
    defines = dict(re.findall(r"^#define (FLY_\w+) \(?(-?\d+)\)?", HEADER.read_text(), flags=re.MULTILINE))
    assert int(defines["FLY_ABI_VERSION"]) == abi.ABI_VERSION
    errors = {int(value) for name, value in defines.items() if name.startswith("FLY_ERROR_")}
    assert errors == set(abi.LAUNCHER_ERRORS)
    assert int(defines["FLY_ERROR_FLAGS"]) == abi.UNKNOWN_FLAGS
    flags = int(defines["FLY_LAUNCH_COOPERATIVE"]), int(defines["FLY_LAUNCH_DEPENDENT"])
    assert flags == (LAUNCH_COOPERATIVE, LAUNCH_DEPENDENT)
    map_numbers = [int(defines[f"FLY_TENSOR_MAP_{name}"]) for name in ("BYTES", "ALIGNMENT", "RANK")]
    assert map_numbers == [abi.TENSOR_MAP_BYTES, abi.TENSOR_MAP_ALIGNMENT, abi.TENSOR_MAP_RANK]


def test_what_was_added_is_behind_what_was_there() -> None:
    defines = dict(re.findall(r"^#define (FLY_\w+_LEAST) (\d+)", HEADER.read_text(), flags=re.MULTILINE))
    assert int(defines["FLY_LAUNCH_CONFIG_LEAST"]) == abi.FlyLaunchConfig.flags.offset
    assert int(defines["FLY_RUNTIME_API_LEAST"]) == abi.FlyRuntimeApi.launch_flags.offset == abi.OLDEST_TABLE


@pytest.mark.parametrize("language", ["c", "c++"])
def test_header_stands_alone(language: str, tmp_path: Path) -> None:
    (tmp_path / "only.h").write_text('#include "fly_abi.h"\n')
    command = ["cc", "-x", language, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{abi.include_dir()}", "only.h"]
    subprocess.run(command, cwd=tmp_path, check=True)
