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
    other_block = int(defines["FLY_ERROR_BLOCK"])
    assert errors == {*abi.LAUNCHER_ERRORS, other_block}
    assert "for blocks of 64 threads is launched with blocks of 128" in (
        abi.launcher_error(other_block - 4096 * 64 - 128) or ""
    )
    assert "other extents" in (abi.launcher_error(other_block - 4096 * 64 - 64) or "")
    assert abi.launcher_error(7) is None
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


LIBRARY = """
#include <fly_library.h>

static void something(void) {}

static struct {
  double (*cosine)(double x);
  void (*nothing)(void);
  void (*needed)(void);
} found = {.nothing = something};

static const FlySymbol symbols[] = {
    {&found.cosine, "cos", 0}, {&found.nothing, "no_such_function", 1}, {&found.needed, "no_such_need", 0}};

int32_t open_library(const char *path, int count) { return fly_open_library(path, symbols, count, 7); }

double cosine(double x) { return found.cosine ? found.cosine(x) : -2; }

int has_nothing(void) { return found.nothing == NULL; }

const char *failure(int32_t code) { return fly_failure(code); }
"""


def test_a_driver_is_opened_with_all_its_functions_or_with_none(tmp_path: Path) -> None:
    (tmp_path / "driver.c").write_text(LIBRARY)
    command = ["cc", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", f"-I{abi.include_dir()}", "driver.c", "-ldl"]
    subprocess.run([*command, "-o", "driver.so"], cwd=tmp_path, check=True)
    library = ctypes.CDLL(str(tmp_path / "driver.so"))
    library.failure.restype, library.cosine.restype = ctypes.c_char_p, ctypes.c_double
    assert library.failure(0) is library.failure(7) is None
    assert library.open_library(b"no_such_library.so", 2) == 7
    assert b"no_such_library.so" in library.failure(7)
    assert library.failure(8) is None
    assert library.open_library(b"libm.so.6", 3) == 7
    assert library.failure(7) == b"libm.so.6 has no function no_such_need"
    assert library.cosine(ctypes.c_double(0)) == -2
    assert not library.has_nothing()
    assert library.open_library(b"libm.so.6", 2) == 0
    assert library.cosine(ctypes.c_double(0)) == 1
    assert library.has_nothing()
