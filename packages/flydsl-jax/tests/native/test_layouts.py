"""What the one binary relies on: the layouts of XLA's structs, alike in each version of the header that it runs with.

The installed jaxlib is compared; environments `cpu-jax` and `cpu-jax08` of tox have the newest and the oldest.
"""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

from jax.ffi import include_dir as xla_include_dir

from flydsl.jax import native

# Structs that the handlers read and write, with the offset of each field; alike in versions 0.2 to 0.5.
OFFSETS = {
    "XLA_FFI_Api_Version": {"struct_size": 0, "extension_start": 8, "major_version": 16, "minor_version": 20},
    "XLA_FFI_Error_Create_Args": {"struct_size": 0, "extension_start": 8, "message": 16, "errc": 24},
    "XLA_FFI_Buffer": {"struct_size": 0, "extension_start": 8, "dtype": 16, "data": 24, "rank": 32, "dims": 40},
    "XLA_FFI_ByteSpan": {"ptr": 0, "len": 8},
    "XLA_FFI_TypeId": {"type_id": 0},
    "XLA_FFI_TypeInfo": {"struct_size": 0, "extension_start": 8, "deleter": 16},
    "XLA_FFI_Args": {"struct_size": 0, "extension_start": 8, "size": 16, "types": 24, "args": 32},
    "XLA_FFI_Rets": {"struct_size": 0, "extension_start": 8, "size": 16, "types": 24, "rets": 32},
    "XLA_FFI_Attrs": {"struct_size": 0, "extension_start": 8, "size": 16, "types": 24, "names": 32, "attrs": 40},
    "XLA_FFI_CallFrame": {
        **{"struct_size": 0, "extension_start": 8, "api": 16, "ctx": 24, "stage": 32},
        **{"args": 40, "rets": 80, "attrs": 120, "future": 168},
    },
    "XLA_FFI_Stream_Get_Args": {"struct_size": 0, "extension_start": 8, "ctx": 16, "stream": 24},
    "XLA_FFI_DeviceOrdinal_Get_Args": {"struct_size": 0, "extension_start": 8, "ctx": 16, "device_ordinal": 24},
    "XLA_FFI_Metadata": {"struct_size": 0, "api_version": 8, "traits": 32, "state_type_id": 40},
    "XLA_FFI_Metadata_Extension": {"extension_base": 0, "metadata": 24},
    "XLA_FFI_Api": {
        **{"api_version": 16, "XLA_FFI_Error_Create": 48, "XLA_FFI_Stream_Get": 80, "XLA_FFI_State_Set": 104},
        **{"XLA_FFI_State_Get": 112, "XLA_FFI_DeviceOrdinal_Get": 184},
    },
}
# The arguments of State_Get and State_Set, which differ.
STATES = {
    2: {"ctx": 16, "type_id": 24, "state": 32},
    3: {"ctx": 16, "stage": 24, "type_id": 32, "state": 40},
}
EXTENSION = {"struct_size": 0, "type": 8, "next": 16}
ENUMS = {
    "XLA_FFI_ExecutionStage_INSTANTIATE": 0,
    "XLA_FFI_ExecutionStage_PREPARE": 1,
    "XLA_FFI_ExecutionStage_INITIALIZE": 2,
    "XLA_FFI_ExecutionStage_EXECUTE": 3,
    "XLA_FFI_Extension_Metadata": 1,
    "XLA_FFI_AttrType_STRING": 4,
    "XLA_FFI_ArgType_BUFFER": 1,
    "XLA_FFI_RetType_BUFFER": 1,
    "XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE": 1,
}


def values(expressions: list[str], folder: Path) -> dict[str, int]:
    """What each expression is to a C compiler that has XLA's header."""
    lines = "".join(f'  printf("%lld\\n", (long long)({expression}));\n' for expression in expressions)
    (folder / "probe.c").write_text(
        f'#include <stdio.h>\n#include "xla/ffi/api/c_api.h"\nint main(void) {{\n{lines}  return 0;\n}}\n'
    )
    subprocess.run(["cc", "-I", xla_include_dir(), "probe.c", "-o", "probe"], cwd=folder, check=True)
    found = subprocess.run([folder / "probe"], check=True, capture_output=True, text=True).stdout
    return dict(zip(expressions, map(int, found.split()), strict=True))


def offsets(structs: dict[str, dict[str, int]]) -> dict[str, int]:
    return {
        f"offsetof({struct}, {field})": offset for struct, fields in structs.items() for field, offset in fields.items()
    }


def test_structs_of_the_installed_header_have_the_layout_that_the_handlers_know(tmp_path: Path) -> None:
    minor = values(["XLA_FFI_API_MINOR"], tmp_path)["XLA_FFI_API_MINOR"]
    state = STATES[min(minor, max(STATES))]
    states = dict.fromkeys(("XLA_FFI_State_Get_Args", "XLA_FFI_State_Set_Args"), state)
    extension = "XLA_FFI_InternalExtension" if minor >= 4 else "XLA_FFI_Extension_Base"
    expected = offsets({extension: EXTENSION} | OFFSETS | states)
    assert values(list(expected), tmp_path) == expected


def test_the_numbers_of_the_installed_header_are_those_that_the_handlers_know(tmp_path: Path) -> None:
    assert values(list(ENUMS), tmp_path) == ENUMS


def test_counts_are_as_large_in_python_as_in_the_library(tmp_path: Path) -> None:
    header = Path(__file__).parents[2] / "src/native/api.h"
    fields = header.read_text().partition("typedef struct FlydslJaxCounts {")[2].partition("} FlydslJaxCounts;")[0]
    names = [name for name in native.Counts._fields if name in fields]
    assert names == list(native.Counts._fields)
    assert ctypes.sizeof(native._Counts) == 8 * len(names)
