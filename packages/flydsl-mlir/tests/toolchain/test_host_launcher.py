"""Launchers of small host functions, loaded from memory and called against a recording table."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence

import pytest
from support.packing import packed
from xdsl.dialects.func import FuncOp

from flydsl.base.errors import RuntimeFailure
from flydsl.ir.parse import parse_module
from flydsl.runtime.abi import FlyLaunchCtx
from flydsl.runtime.kernel import LoadedLauncher, load_launcher
from flydsl.testing.fake_table import FakeTable, RecordedLaunch, RecordedMap
from flydsl.toolchain.host_launcher import begin_launcher
from flydsl.toolchain.native import NativeToolchain
from flydsl.toolchain.slots import Slot

VIEW = "!llvm.struct<packed (struct<packed (i32)>, struct<packed (i64)>)>"
IMAGE = b"\x7fELF code object \x00\xff" + bytes(range(256))
STREAM = 0x57


def host(arguments: str, body: str, name: str = "host") -> FuncOp:
    """The host function of those arguments and that body, with the constants %c1, %c2 and %c64 at hand."""
    constants = "".join(f"  %c{n} = arith.constant {n} : index\n" for n in (1, 2, 64))
    module = parse_module(f"func.func @{name}({arguments}) {{\n{constants}{body}\n  func.return\n}}")
    (function,) = module.body.block.ops
    assert isinstance(function, FuncOp)
    return function


def build(function: FuncOp, kernels: Sequence[str] = ("k",)) -> tuple[LoadedLauncher, tuple[Slot, ...]]:
    pending = begin_launcher(function, kernels, NativeToolchain())
    return load_launcher(pending.finish(IMAGE)), pending.slots


def load(launcher: LoadedLauncher, table: FakeTable, ordinal: int = 0) -> int:
    module = ctypes.c_void_p()
    assert launcher.fly_load(table.address, ordinal, ctypes.byref(module)) == 0
    return module.value or 0


def launch_packed(function: FuncOp, table: FakeTable, *values: object, kernels: Sequence[str] = ("k",)) -> int:
    launcher, slots = build(function, kernels)
    return launcher.fly_launch_packed(table.address, load(launcher, table), 0, STREAM, packed(slots, *values))


def launch_argv(launcher: LoadedLauncher, table: FakeTable, values: Sequence[bytes], **context: int) -> int:
    blocks = [ctypes.create_string_buffer(value, len(value)) for value in values]
    argv = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, blocks))
    fields = {"abi_version": 1, "struct_size": ctypes.sizeof(FlyLaunchCtx)} | context
    module = load(launcher, table)
    ctx = FlyLaunchCtx(ordinal=0, stream=STREAM, module=module, rt=ctypes.pointer(table.api), **fields)
    return launcher.fly_launch(ctypes.addressof(ctx), argv)


LAUNCH = "  gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)"


def test_load_hands_over_image_names_and_ordinal() -> None:
    launcher, _ = build(host("", LAUNCH), kernels=("k", "an.other_kernel$1"))
    table = FakeTable()
    assert load(launcher, table, ordinal=3) != 0
    assert table.loads == [(3, IMAGE, ["k", "an.other_kernel$1"])]


def test_load_returns_the_runtimes_error() -> None:
    launcher, _ = build(host("", LAUNCH))
    module = ctypes.c_void_p()
    assert launcher.fly_load(FakeTable(load_codes=[209]).address, 0, ctypes.byref(module)) == 209


@pytest.mark.parametrize(("field", "value"), [("abi_version", 2), ("struct_size", 8)])
def test_load_refuses_a_table_of_another_abi(field: str, value: int) -> None:
    launcher, _ = build(host("", LAUNCH))
    table = FakeTable()
    setattr(table.api, field, value)
    module = ctypes.c_void_p()
    assert launcher.fly_load(table.address, 0, ctypes.byref(module)) == -1
    assert table.loads == []


@pytest.mark.parametrize(("field", "value"), [("abi_version", 2), ("struct_size", 8)])
def test_launch_refuses_a_context_of_another_abi(field: str, value: int) -> None:
    launcher, _ = build(host("", LAUNCH))
    table = FakeTable()
    assert launch_argv(launcher, table, [], **{field: value}) == -1
    assert table.launches == []


TYPES = {
    "!fly.ptr<f32, global>": struct.pack("<Q", 0xDEADBEEF12345678),
    "!llvm.ptr<1>": struct.pack("<Q", 0x1122334455667788),
    VIEW: struct.pack("<iq", -7, 2**40 + 5),
    "i1": b"\x01",
    "i8": b"\x85",
    "i16": b"\x34\x92",
    "i32": struct.pack("<i", -123456),
    "i64": struct.pack("<q", -(2**60) - 1),
    "index": struct.pack("<q", 2**50 + 3),
    "f16": struct.pack("<e", 1.5),
    "bf16": b"\x80\x7f",
    "f32": struct.pack("<f", 3.25),
    "f64": struct.pack("<d", -1e300),
    "f8E4M3FNUZ": b"\xa7",
    "f8E5M2": b"\x7b",
    "vector<4xf32>": struct.pack("<4f", 1, 2, 3, 4),
    "vector<3xi16>": struct.pack("<3h", 1, -2, 3),
}


def passing(types: Sequence[str]) -> FuncOp:
    """A host function that hands all its arguments to a kernel."""
    arguments = ", ".join(f"%a{i}: {kind}" for i, kind in enumerate(types))
    operands = ", ".join(f"%a{i} : {kind}" for i, kind in enumerate(types))
    return host(arguments, f"{LAUNCH} args({operands})")


def test_packed_arguments_reach_the_kernel_bit_for_bit() -> None:
    launcher, slots = build(passing(list(TYPES)))
    table = FakeTable()
    packed = b"".join(value.ljust(-len(value) % 8 + len(value), b"\xee") for value in TYPES.values())
    assert [slot.size for slot in slots] == [len(value) for value in TYPES.values()]
    assert launcher.fly_launch_packed(table.address, load(launcher, table), 0, STREAM, packed) == 0
    expected = RecordedLaunch(0x100, (1, 1, 1), (64, 1, 1), (1, 1, 1), 0, STREAM, tuple(TYPES.values()))
    assert table.launches == [expected]


def test_separate_arguments_reach_the_kernel_bit_for_bit() -> None:
    launcher, _ = build(passing(list(TYPES)))
    table = FakeTable()
    assert launch_argv(launcher, table, list(TYPES.values())) == 0
    assert table.launches[0].parameters == tuple(TYPES.values())


def test_grid_block_cluster_and_shared_memory_are_computed_on_the_host() -> None:
    body = """
  %m = arith.index_cast %n : i32 to index
  %g = arith.ceildivsi %m, %c64 : index
  %bytes = arith.muli %n, %n : i32
  gpu.launch_func @m::@k clusters in (%c2, %c1, %c1) blocks in (%g, %c2, %m) threads in (%c64, %c1, %c2)
      dynamic_shared_memory_size %bytes args(%g : index)"""
    table = FakeTable()
    assert launch_packed(host("%n: i32", body), table, 100) == 0
    (launch,) = table.launches
    assert (launch.grid, launch.block, launch.cluster) == ((2, 2, 100), (64, 1, 2), (2, 1, 1))
    assert (launch.shared_bytes, launch.parameters) == (10000, (struct.pack("<q", 2),))


@pytest.mark.parametrize("kind", ["i32", "i64"])
def test_extents_may_be_integers(kind: str) -> None:
    body = "  gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) : " + kind
    table = FakeTable()
    assert launch_packed(host(f"%n: {kind}", body), table, 5) == 0
    assert (table.launches[0].grid, table.launches[0].block) == ((5, 5, 5), (5, 5, 5))


ON_A_STREAM = "  %t = gpu.launch_func async [%s] @m::@k blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)"


@pytest.mark.parametrize(("given", "used"), [(0x99, 0x99), (0, STREAM)])
def test_a_launch_uses_its_stream_and_a_null_one_means_the_callers(given: int, used: int) -> None:
    table = FakeTable()
    assert launch_packed(host("%s: !gpu.async.token", ON_A_STREAM), table, given) == 0
    assert table.launches[0].stream == used


def test_a_launch_after_another_is_on_its_stream() -> None:
    body = ON_A_STREAM + ON_A_STREAM.replace("%t", "\n  %u").replace("[%s]", "[%t]")
    table = FakeTable()
    assert launch_packed(host("%s: !gpu.async.token", body), table, 0x99) == 0
    assert [launch.stream for launch in table.launches] == [0x99, 0x99]


def test_launches_in_control_flow_run_in_order_with_their_kernels() -> None:
    body = """
  %zero = arith.constant 0 : index
  %m = arith.index_cast %n : i32 to index
  scf.for %i = %zero to %m step %c1 {
    gpu.launch_func @m::@b blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%i : index)
  }
  %large = arith.cmpi ugt, %m, %c2 : index
  scf.if %large {
    gpu.launch_func @m::@a blocks in (%c2, %c1, %c1) threads in (%c64, %c1, %c1)
  }"""
    table = FakeTable()
    assert launch_packed(host("%n: i32", body), table, 3, kernels=("a", "b")) == 0
    assert [(launch.kernel, launch.parameters) for launch in table.launches] == [
        *((0x101, (struct.pack("<q", i),)) for i in range(3)),
        (0x100, ()),
    ]


def test_many_launches_of_one_call_need_no_more_stack_than_one() -> None:
    body = """
  %zero = arith.constant 0 : index
  scf.for %i = %zero to %n step %c1 {
    gpu.launch_func @m::@k blocks in (%zero, %c1, %c1) threads in (%c64, %c1, %c1) args(%i : index)
  }"""
    assert launch_packed(host("%n: index", body), FakeTable(), 1_000_000) == 0


def test_first_error_is_returned_and_ends_later_launches() -> None:
    table = FakeTable(launch_codes=[0, 719])
    assert launch_packed(host("", "\n".join([LAUNCH] * 3)), table) == 719
    assert len(table.launches) == 2


@pytest.mark.parametrize("axis", range(3))
def test_empty_grid_launches_nothing(axis: int) -> None:
    grid = ", ".join("%n" if i == axis else "%c1" for i in range(3))
    table = FakeTable()
    body = f"  gpu.launch_func @m::@k blocks in ({grid}) threads in (%c64, %c1, %c1)"
    assert launch_packed(host("%n: index", body), table, 0) == 0
    assert table.launches == []


@pytest.mark.parametrize("extent", [-1, 2**32, -(2**63)])
@pytest.mark.parametrize("axis", range(9))
def test_extent_out_of_range_is_an_error(axis: int, extent: int) -> None:
    sizes = ["%n" if i == axis else "%c1" for i in range(9)]
    grid, block, cluster = (", ".join(sizes[i : i + 3]) for i in (0, 3, 6))
    table = FakeTable()
    body = f"  gpu.launch_func @m::@k clusters in ({cluster}) blocks in ({grid}) threads in ({block})"
    assert launch_packed(host("%n: index", body), table, extent) == -2
    assert table.launches == []


def test_function_without_kernels_loads_and_does_nothing() -> None:
    launcher, slots = build(host("%n: i32", ""), kernels=())
    table = FakeTable()
    assert load(launcher, table) == 0
    assert launcher.fly_launch_packed(table.address, None, 0, None, packed(slots, 1)) == 0
    assert (table.loads, table.launches) == ([], [])


def test_functions_with_the_names_of_the_abi_do_not_clash() -> None:
    table = FakeTable()
    assert launch_packed(host("", LAUNCH, name="fly_launch"), table) == 0
    assert len(table.launches) == 1


def test_launcher_is_the_same_bytes_every_time() -> None:
    images = {begin_launcher(passing(list(TYPES)), ["k"], NativeToolchain()).finish(IMAGE) for _ in range(2)}
    assert len(images) == 1


def test_launcher_needs_no_library_and_exports_only_the_abi() -> None:
    image = begin_launcher(passing(list(TYPES)), ["k"], NativeToolchain()).finish(IMAGE)
    library = load_launcher(image).library
    for internal in ("fly_host", "fly_submit", "fly_image", "fly_names"):
        assert not hasattr(library, internal)


def test_shared_object_without_the_abi_is_not_a_launcher() -> None:
    toolchain = NativeToolchain()
    image = toolchain.link([toolchain.emit_host_object("llvm.func @f() { llvm.return }")])
    with pytest.raises(RuntimeFailure, match=r"is not a launcher: .*fly_load"):
        load_launcher(image)


def test_host_computes_on_half_precision_arguments() -> None:
    body = f"  %b = arith.bitcast %h : f16 to i16\n{LAUNCH} args(%b : i16, %h : f16)"
    table = FakeTable()
    assert launch_packed(host("%h: f16", body), table, 1.5) == 0
    assert table.launches[0].parameters == (struct.pack("<e", 1.5),) * 2


def test_one_pending_launcher_takes_any_code_object() -> None:
    pending = begin_launcher(host("", LAUNCH), ["k"], NativeToolchain())
    for code in (b"one", bytes(100_000)):
        table = FakeTable()
        load(load_launcher(pending.finish(code)), table)
        assert table.loads[0][1] == code


FLAGGED = f"{LAUNCH} {{fly.launch_flags = 3 : i32}}"


def test_flags_reach_the_table() -> None:
    table = FakeTable()
    assert launch_packed(host("", f"{FLAGGED}\n{LAUNCH}"), table) == 0
    assert [launched.flags for launched in table.launches] == [3, 0]


@pytest.mark.parametrize("table", [FakeTable(size=40), FakeTable(launch_flags=1), FakeTable(launch_flags=2)])
def test_a_table_that_does_not_know_the_flags_launches_nothing(table: FakeTable) -> None:
    assert launch_packed(host("", f"{FLAGGED}\n{LAUNCH}"), table) == -3
    assert table.launches == []


def test_an_older_table_makes_plain_launches() -> None:
    table = FakeTable(size=40)
    assert launch_packed(host("", LAUNCH), table) == 0
    assert len(table.launches) == 1


TILE = "!llvm.ptr"
MAPPED = f"""
  %n = arith.constant 8 : i64
  %map = "fly_host.encode_tensor_map"(%p, %rows, %n, %stride, %n) {{recipe = "0009ff22"}}
    : (!llvm.ptr<1>, i64, i64, i64, i64) -> {TILE}
  %one = "fly_host.encode_tensor_map"(%p, %rows, %stride) {{recipe = "", written}} : (!llvm.ptr<1>, i64, i64) -> {TILE}
{LAUNCH} args(%map : {TILE}, %rows : i64, %one : {TILE})
{LAUNCH} args(%map : {TILE})
"""
MAPPED_ARGUMENTS = "%p: !llvm.ptr<1>, %rows: i64, %stride: i64"


def test_tensor_maps_are_made_at_each_call_and_are_parameters() -> None:
    table = FakeTable()
    launcher, slots = build(host(MAPPED_ARGUMENTS, MAPPED))
    module = load(launcher, table)
    for address, rows in ((0xDEADBEEF12345600, 77), (0x1000, 5)):
        values = packed(slots, address, rows, 64)
        assert launcher.fly_launch_packed(table.address, module, 0, STREAM, values) == 0
    first, second = table.maps[:2]
    assert first == RecordedMap(0xDEADBEEF12345600, (77, 8), (64, 8), b"\0\x09\xff\x22")
    assert second == RecordedMap(0xDEADBEEF12345600, (77,), (64,), b"")
    assert table.maps[2] == RecordedMap(0x1000, (5, 8), (64, 8), b"\0\x09\xff\x22")
    parameters = [launched.parameters for launched in table.launches]
    assert parameters[0] == (first.to_bytes(), struct.pack("<q", 77), second.to_bytes())
    assert parameters[1] == (first.to_bytes(),)
    assert parameters[2][0] == table.maps[2].to_bytes()


def test_a_map_that_is_refused_launches_nothing() -> None:
    table = FakeTable(map_codes=[7])
    assert launch_packed(host(MAPPED_ARGUMENTS, MAPPED), table, 0x1000, 5, 64) == 7
    assert table.launches == []


@pytest.mark.parametrize("size", [40, 48, 56])
def test_a_table_that_makes_no_maps_is_an_error_before_a_launch(size: int) -> None:
    table = FakeTable(size=size)
    if size == 56:
        table.api.encode_tensor_map = type(table.api.encode_tensor_map)()
    assert launch_packed(host(MAPPED_ARGUMENTS, MAPPED), table, 0x1000, 5, 64) == -4
    assert table.launches == []


def test_a_map_in_a_loop_is_that_of_its_turn() -> None:
    body = f"""
      %zero = arith.constant 0 : index
      scf.for %i = %zero to %c2 step %c1 {{
        %n = arith.index_cast %i : index to i64
        %map = "fly_host.encode_tensor_map"(%p, %n, %stride) {{recipe = ""}} : (!llvm.ptr<1>, i64, i64) -> {TILE}
        {LAUNCH} args(%map : {TILE})
      }}
    """
    table = FakeTable()
    assert launch_packed(host(MAPPED_ARGUMENTS, body), table, 0x1000, 5, 64) == 0
    assert [found.shape for found in table.maps] == [(0,), (1,)]
    assert [launched.parameters[0] for launched in table.launches] == [found.to_bytes() for found in table.maps]
