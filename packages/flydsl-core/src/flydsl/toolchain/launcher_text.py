"""The MLIR text of a launcher: the functions of fly_abi.h around the host function.

The host function takes the state of one call and the values of all slots; each launch in it is a call of a small
function that lays out configuration and parameters and calls `fly_submit` (launcher.mlir).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from flydsl.toolchain.slots import Slot, format_size, type_format
from flydsl.toolchain.tensor_map_text import TENSOR_MAP_BYTES, TensorMap, map_function

HOST_FUNCTION = "fly_host"
IMAGE = "fly_image"
IMAGE_ALIGNMENT = 4096  # loaders may map a code object where it lies

_PTR = "!llvm.ptr"
_NARROW_FLOAT = re.compile(r"(?:^|(?<=x))(?:b?f16|f8E\w+)(?=$|>)")
_CONFIG_SIZE = 64
BY_VALUE = "tensor_map"
"""What stands for the type of an operand that is the address of a tensor map."""
_EXTENTS = ("gx", "gy", "gz", "bx", "by", "bz", "cx", "cy", "cz")


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch: the function that makes it, the kernel's index, and the MLIR types of its operands (`bits_type`).

    `extents` are the six sizes of grid and block, or nine with a cluster; `flags` those of fly_abi.h; `block` is the
    block size that the kernel is made for, when it has to be compared.
    """

    function: str
    kernel: int
    extents: tuple[str, ...]
    has_shared: bool
    arguments: tuple[str, ...]
    flags: int = 0
    block: tuple[int, ...] | None = None


def launcher_module(
    slots: Sequence[Slot],
    launches: Sequence[Launch],
    kernel_names: Sequence[str],
    host: str,
    maps: Sequence[TensorMap] = (),
) -> str:
    """The module around `host`, the text of the host function.

    It is linked with an object that defines the code object as `IMAGE` and its size in bytes as `<IMAGE>_size`.
    """
    load = _load(kernel_names) if kernel_names else _LOAD_NOTHING
    return "".join(
        [_shared_text(), load, _entries(slots), host, *map(_launch_function, launches), *map(map_function, maps)]
    )


@cache
def _shared_text() -> str:
    return Path(__file__).with_name("launcher.mlir").read_text(encoding="utf-8")


_LOAD_NOTHING = """
func.func @fly_load(%rt: !llvm.ptr, %ordinal: i32, %module: !llvm.ptr) -> i32 {
  %null = llvm.mlir.zero : !llvm.ptr
  llvm.store %null, %module : !llvm.ptr, !llvm.ptr
  %zero = arith.constant 0 : i32
  return %zero : i32
}
"""


def _load(kernel_names: Sequence[str]) -> str:
    """The constants and `fly_load`."""
    count = len(kernel_names)
    return f"""{_name_table(kernel_names)}
llvm.mlir.global external hidden constant @{IMAGE}() : !llvm.array<0 x i8>
llvm.mlir.global external hidden constant @{IMAGE}_size() : i64

func.func @fly_load(%rt: !llvm.ptr, %ordinal: i32, %module: !llvm.ptr) -> i32 {{
  %error = func.call @fly_check(%rt) : (!llvm.ptr) -> i32
  %zero = arith.constant 0 : i32
  %ok = arith.cmpi eq, %error, %zero : i32
  %result = scf.if %ok -> i32 {{
    %self.at = llvm.getelementptr %rt[0, 2] : (!llvm.ptr) -> !llvm.ptr, !api
    %self = llvm.load %self.at : !llvm.ptr -> !llvm.ptr
    %load.at = llvm.getelementptr %rt[0, 3] : (!llvm.ptr) -> !llvm.ptr, !api
    %load = llvm.load %load.at : !llvm.ptr -> !llvm.ptr
    %image = llvm.mlir.addressof @{IMAGE} : !llvm.ptr
    %names = llvm.mlir.addressof @fly_names : !llvm.ptr
    %size.at = llvm.mlir.addressof @{IMAGE}_size : !llvm.ptr
    %size = llvm.load %size.at : !llvm.ptr -> i64
    %count = arith.constant {count} : i32
    %code = llvm.call %load(%self, %ordinal, %image, %size, %names, %count, %module)
        : !llvm.ptr, (!llvm.ptr, i32, !llvm.ptr, i64, !llvm.ptr, i32, !llvm.ptr) -> i32
    scf.yield %code : i32
  }} else {{
    scf.yield %error : i32
  }}
  return %result : i32
}}
"""


def _name_table(kernel_names: Sequence[str]) -> str:
    """The constant array of pointers to the kernels' names."""
    table = f"!llvm.array<{len(kernel_names)} x ptr>"
    names, entries = [], []
    for i, name in enumerate(kernel_names):
        names.append(f'llvm.mlir.global internal constant @fly_name_{i}("{_escape(name)}\\00")\n')
        entries.append(f"  %n{i} = llvm.mlir.addressof @fly_name_{i} : !llvm.ptr\n")
        entries.append(f"  %t{i + 1} = llvm.insertvalue %n{i}, %t{i}[{i}] : {table}\n")
    return f"""
{"".join(names)}\
llvm.mlir.global internal constant @fly_names() : {table} {{
  %t0 = llvm.mlir.undef : {table}
{"".join(entries)}\
  llvm.return %t{len(kernel_names)} : {table}
}}
"""


def _escape(name: str) -> str:
    return "".join(chr(b) if chr(b).isalnum() and b < 128 else f"\\{b:02X}" for b in name.encode())


def _entries(slots: Sequence[Slot]) -> str:
    """`fly_launch` and `fly_launch_packed`: read the slots, call the host function, return the first error."""
    argv, packed = [], []
    for i, slot in enumerate(slots):
        argv.append(f"  %slot{i} = llvm.getelementptr %argv[{i}] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr\n")
        argv.append(f"  %at{i} = llvm.load %slot{i} : !llvm.ptr -> !llvm.ptr\n{_read(slot, i)}")
        packed.append(f"  %at{i} = llvm.getelementptr %packed[{slot.offset}] : (!llvm.ptr) -> !llvm.ptr, i8\n")
        packed.append(_read(slot, i))
    call = _call_host(slots)
    return f"""
func.func @fly_launch(%context: !llvm.ptr, %argv: !llvm.ptr) -> i32 {{
  %check = func.call @fly_check(%context) : (!llvm.ptr) -> i32
  %fine = arith.constant 0 : i32
  %ok = arith.cmpi eq, %check, %fine : i32
  %result = scf.if %ok -> i32 {{
  %stream.at = llvm.getelementptr %context[0, 3] : (!llvm.ptr) -> !llvm.ptr, !context
  %stream = llvm.load %stream.at : !llvm.ptr -> !llvm.ptr
  %module.at = llvm.getelementptr %context[0, 4] : (!llvm.ptr) -> !llvm.ptr, !context
  %module = llvm.load %module.at : !llvm.ptr -> !llvm.ptr
  %rt.at = llvm.getelementptr %context[0, 5] : (!llvm.ptr) -> !llvm.ptr, !context
  %rt = llvm.load %rt.at : !llvm.ptr -> !llvm.ptr
{"".join(argv)}{call}\
  scf.yield %error : i32
  }} else {{
    scf.yield %check : i32
  }}
  return %result : i32
}}

func.func @fly_launch_packed(%rt: !llvm.ptr, %module: !llvm.ptr, %ordinal: i32, %stream: !llvm.ptr, %packed: !llvm.ptr)
    -> i32 {{
{"".join(packed)}{call}\
  return %error : i32
}}
"""


def _read(slot: Slot, i: int) -> str:
    """Load slot `i` from `%at<i>` as `%v<i>`."""
    kind = bits_type(slot.type)
    stored = _stored_type(kind)
    alignment = 1 if slot.kind == "struct" else min(format_size(slot.format), 8)
    load = f"llvm.load %at{i} {{alignment = {alignment} : i64}} : !llvm.ptr -> {stored}"
    if stored == kind:
        return f"  %v{i} = {load}\n"
    if kind == "index":
        return f"  %s{i} = {load}\n  %v{i} = arith.index_cast %s{i} : i64 to index\n"
    return f"  %s{i} = {load}\n  %no{i} = arith.constant 0 : i8\n  %v{i} = arith.cmpi ne, %s{i}, %no{i} : i8\n"


def _call_host(slots: Sequence[Slot]) -> str:
    values = "".join(f", %v{i}" for i in range(len(slots)))
    types = "".join(f", {bits_type(slot.type)}" for slot in slots)
    return f"""\
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %state = llvm.alloca %one x !state : (i32) -> !llvm.ptr
  llvm.store %rt, %state : !llvm.ptr, !llvm.ptr
{_store("state", 1, "%module", _PTR)}{_store("state", 2, "%stream", _PTR)}{_store("state", 3, "%zero", "i32")}\
  func.call @{HOST_FUNCTION}(%state{values}) : (!llvm.ptr{types}) -> ()
  %error.at = llvm.getelementptr %state[0, 3] : (!llvm.ptr) -> !llvm.ptr, !state
  %error = llvm.load %error.at : !llvm.ptr -> i32
"""


def _store(struct: str, field: int, value: str, kind: str) -> str:
    """Store into a field of `%<struct>`, of type `!<struct>`."""
    address = f"%{struct}.{field}"
    return (
        f"  {address} = llvm.getelementptr %{struct}[0, {field}] : (!llvm.ptr) -> !llvm.ptr, !{struct}\n"
        f"  llvm.store {value}, {address} : {kind}, !llvm.ptr\n"
    )


def _launch_function(launch: Launch) -> str:
    """Lay out configuration and parameters of one launch and submit it."""
    passed = list(zip(_EXTENTS, launch.extents, strict=False))
    signature = [f", %{name}: {kind}" for name, kind in passed]
    signature += [", %shared: i32"] * launch.has_shared
    signature += [f", %a{i}: {_PTR if kind == BY_VALUE else kind}" for i, kind in enumerate(launch.arguments)]
    extents = [_extent(i, name, kind) for i, (name, kind) in enumerate(passed)]
    extents += [_extent(i, "unit", "i64") for i in range(len(passed), len(_EXTENTS))]
    constant, parameters = _parameters(launch)
    checked = f"  %needed = arith.constant {launch.flags} : i64\n" * bool(launch.flags)
    checked += "  func.call @fly_flags(%state, %needed) : (!llvm.ptr, i64) -> ()\n" * bool(launch.flags)
    return f"""
{constant}\
func.func private @{launch.function}(%state: !llvm.ptr, %stream: !llvm.ptr{"".join(signature)})
    attributes {{llvm.linkage = #internal}} {{
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %config = llvm.alloca %one x !config : (i32) -> !llvm.ptr
  %kernel = arith.constant {launch.kernel} : i32
  %size = arith.constant {_CONFIG_SIZE} : i32
  %count = arith.constant {len(launch.arguments)} : i32
  %flags = arith.constant {launch.flags} : i32
{"" if launch.has_shared else "  %shared = arith.constant 0 : i32" + chr(10)}\
{parameters}{"".join(extents)}{_store("config", 0, "%size", "i32")}{_store("config", 4, "%shared", "i32")}\
{_store("config", 5, "%count", "i32")}{_store("config", 6, "%sizes", _PTR)}\
{_store("config", 7, "%flags", "i32")}{checked}{_compared_block(launch.block)}\
  func.call @fly_submit(%state, %kernel, %config, %stream, %params)
      : (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
  return
}}
"""


def _compared_block(block: tuple[int, ...] | None) -> str:
    """Fail unless the launch has this block."""
    if block is None:
        return ""
    constants = "".join(f"  %made{i} = arith.constant {extent} : i32\n" for i, extent in enumerate(block))
    return (
        f"{constants}  func.call @fly_block(%state, %config, %made0, %made1, %made2) "
        ": (!llvm.ptr, !llvm.ptr, i32, i32, i32) -> ()\n"
    )


def _extent(index: int, name: str, kind: str) -> str:
    value, widen = f"%{name}", ""
    if kind != "i64":
        value = f"%wide{index}"
        widen = f"  {value} = arith.{'index_cast' if kind == 'index' else 'extsi'} %{name} : {kind} to i64\n"
    return (
        f"{widen}  %index{index} = arith.constant {index} : i32\n"
        f"  func.call @fly_extent(%state, %config, %index{index}, {value}) : (!llvm.ptr, !llvm.ptr, i32, i64) -> ()\n"
    )


def _parameters(launch: Launch) -> tuple[str, str]:
    """The constant with the parameters' sizes, and the code that stores the parameters and their addresses."""
    count = len(launch.arguments)
    if not count:
        return "", "  %params = llvm.mlir.zero : !llvm.ptr\n  %sizes = llvm.mlir.zero : !llvm.ptr\n"
    sizes = [TENSOR_MAP_BYTES if kind == BY_VALUE else format_size(type_format(kind)) for kind in launch.arguments]
    table = f"@{launch.function}_sizes"
    constant = f"llvm.mlir.global internal constant {table}(dense<{sizes}> : tensor<{count}xi32>)"
    lines = [
        f"  %sizes = llvm.mlir.addressof {table} : !llvm.ptr\n",
        f"  %params = llvm.alloca %one x !llvm.array<{count} x ptr> : (i32) -> !llvm.ptr\n",
    ]
    for i, kind in enumerate(launch.arguments):
        if kind == BY_VALUE:
            lines.append(_store_parameter(i, f"%a{i}"))
            continue
        stored, value = _stored_type(kind), f"%a{i}"
        if stored != kind:
            value = f"%s{i}"
            op = "arith.index_cast" if kind == "index" else "arith.extui"
            lines.append(f"  {value} = {op} %a{i} : {kind} to {stored}\n")
        lines.append(
            f"  %p{i} = llvm.alloca %one x {stored} : (i32) -> !llvm.ptr\n"
            f"  llvm.store {value}, %p{i} : {stored}, !llvm.ptr\n{_store_parameter(i, f'%p{i}')}"
        )
    return f"{constant} : !llvm.array<{count} x i32>\n", "".join(lines)


def _store_parameter(index: int, address: str) -> str:
    return (
        f"  %p{index}.at = llvm.getelementptr %params[{index}] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr\n"
        f"  llvm.store {address}, %p{index}.at : !llvm.ptr, !llvm.ptr\n"
    )


def _stored_type(kind: str) -> str:
    """The type of a value in memory: whole bytes, and known to LLVM."""
    return {"index": "i64", "i1": "i8"}.get(kind, kind)


def bits_type(kind: str) -> str:
    """The type that values are handed on as: narrow floats as their bits, since a host may convert them otherwise."""
    return _NARROW_FLOAT.sub(lambda match: "i8" if match[0].startswith("f8") else "i16", kind)
