"""What crosses function boundaries: static values vanish, tensors become pointers and structs, loops carry scalars."""

from __future__ import annotations

import pytest
from xdsl.ir import Operation

from flydsl.base.errors import IRError
from flydsl.ir.parse import parse_module, verify
from flydsl.passes.registry import run as run_passes


def rewritten(text: str, passes: str = "fly-rewrite-func-signature") -> Operation:
    module = parse_module(text)
    run_passes(module, passes)
    verify(module)
    return module


def only(module: Operation, name: str) -> Operation:
    (found,) = [op for op in module.walk() if op.name == name]
    return found


def argument_types(function: Operation) -> list[str]:
    return [str(arg.type) for arg in function.regions[0].blocks[0].args]


@pytest.mark.parametrize(
    ("type_", "slots"),
    [
        ("!fly.int_tuple<(4,8)>", []),
        ("!fly.layout<(4,8):(1,4)>", []),
        ("!fly.tile<[8|64]>", []),
        ("!fly.copy_atom<!fly.universal_copy<128>, 32>", []),
        ("!fly.coord_tensor<(0,0), (4,8):(1E0,1E1)>", []),
        ("!fly.int_tuple<(?,(?{i64},8))>", ["!llvm.struct<packed (i32, i64)>"]),
        ("!fly.layout<(?,8):(?{i64},1)>", ["!llvm.struct<packed (struct<packed (i32)>, struct<packed (i64)>)>"]),
        ("!fly.layout<(4,8):(?{i64},1)>", ["!llvm.struct<packed (struct<packed (i64)>)>"]),
        (
            "!fly.composed_layout<S<3,4,3> o ? o (?,8):(1,8)>",
            ["!llvm.struct<packed (struct<packed (struct<packed (i32)>)>, struct<packed (i32)>)>"],
        ),
        ("!fly.coord_tensor<(?,0), (4,8):(1E0,1E1)>", ["!llvm.struct<packed (struct<packed (i32)>)>"]),
        ("!fly.memref<f32, global, (4,8):(1,4)>", ["!fly.ptr<f32, global>"]),
        (
            "!fly.memref<f16, shared, (?,8):(8,1), align<16>>",
            ["!fly.ptr<f16, shared, align<16>>", "!llvm.struct<packed (struct<packed (i32)>)>"],
        ),
        ("i32", ["i32"]),
        ("!fly.ptr<f32, global>", ["!fly.ptr<f32, global>"]),
    ],
)
def test_slots_of_an_argument(type_: str, slots: list[str]) -> None:
    module = rewritten(f"gpu.module @m {{ gpu.func @k(%a: {type_}, %b: index) kernel {{ gpu.return }} }}")
    function = only(module, "gpu.func")
    assert argument_types(function) == [*slots, "index"]
    assert [str(t) for t in function.properties["function_type"].inputs] == [*slots, "index"]  # type: ignore[attr-defined]


def test_arguments_are_rebuilt_in_normal_form_with_their_promises() -> None:
    tensor = "!fly.memref<f32, global, (?{div=16},8):(?{i64 div=8},1)>"
    shape = "!fly.int_tuple<(?{div=16},8)>"
    module = rewritten(
        f"""
        gpu.module @m {{ gpu.func @k(%a: {tensor}) kernel {{
          %s = fly.get_shape(%a) : ({tensor}) -> {shape}
          fly.print(%s) : ({shape}) -> ()
          gpu.return
        }} }}
        """
    )
    names = [op.name for op in only(module, "gpu.func").regions[0].block.ops]
    half = ["llvm.extractvalue", "llvm.extractvalue", "fly.make_int_tuple"]
    assert names[:8] == [*half, *half, "fly.make_layout", "fly.make_view"]
    assert str(only(module, "fly.make_layout").results[0].type) == "!fly.layout<(?{div=16},8):(?{i64 div=8},1)>"


LAUNCH = """
builtin.module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%t: !fly.memref<f32, global, (?,8):(8,1)>, %l: !fly.layout<4:1>, %n: i32) kernel { gpu.return }
  }
  func.func @host(%t: !fly.memref<f32, global, (?,8):(8,1)>, %u: !fly.memref<f32, global, (16,8):(8,1)>, %n: i32) {
    %c = arith.constant 1 : index
    %l = fly.static : !fly.layout<4:1>
    %s = fly.get_shape(%t) : (!fly.memref<f32, global, (?,8):(8,1)>) -> !fly.int_tuple<(?,8)>
    gpu.launch_func @kernels::@k blocks in (%c, %c, %c) threads in (%c, %c, %c)
      args(%t : !fly.memref<f32, global, (?,8):(8,1)>, %l : !fly.layout<4:1>, %n : i32)
    func.return
  }
}
"""


def test_launches_pass_the_new_signature_and_reuse_what_came_in() -> None:
    module = rewritten(LAUNCH)
    launch, host = only(module, "gpu.launch_func"), only(module, "func.func")
    pointer, struct, *_ = host.regions[0].block.args
    assert list(launch.operands)[6:8] == [pointer, struct]
    assert [str(t) for t in launch.operand_types][6:] == [
        str(t) for t in only(module, "gpu.func").properties["function_type"].inputs
    ]  # type: ignore[attr-defined]


def test_views_made_on_the_host_are_packed_for_the_launch() -> None:
    made = LAUNCH.replace(
        "gpu.launch_func",
        """%p = fly.get_iter(%u) : (!fly.memref<f32, global, (16,8):(8,1)>) -> !fly.ptr<f32, global>
    %dim = fly.make_int_tuple(%n) : (i32) -> !fly.int_tuple<(?,8)>
    %str = fly.make_int_tuple() : () -> !fly.int_tuple<(8,1)>
    %lay = fly.make_layout(%dim, %str) : (!fly.int_tuple<(?,8)>, !fly.int_tuple<(8,1)>) -> !fly.layout<(?,8):(8,1)>
    %v = fly.make_view(%p, %lay)
      : (!fly.ptr<f32, global>, !fly.layout<(?,8):(8,1)>) -> !fly.memref<f32, global, (?,8):(8,1)>
    gpu.launch_func""",
    ).replace("args(%t :", "args(%v :")
    module = rewritten(made, "fly-rewrite-func-signature,fly-canonicalize,fly-layout-lowering,canonicalize")
    host = only(module, "func.func")
    insert = only(module, "llvm.insertvalue")
    assert insert.operands[1] is host.regions[0].block.args[3]
    assert not [op.name for op in host.walk() if op.name.startswith("fly.")]


def test_loops_carry_the_leaves_of_tuples() -> None:
    module = rewritten(
        """
        gpu.module @m { gpu.func @k(%n: index, %x: i32, %out: !fly.ptr<i32, global>) kernel {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %t = fly.make_int_tuple(%x) : (i32) -> !fly.int_tuple<(?{div=4},8)>
          %four = fly.make_int_tuple() : () -> !fly.int_tuple<(4,0)>
          %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %t) -> (!fly.int_tuple<(?{div=4},8)>) {
            %u = fly.int_tuple_add(%s, %four)
              : (!fly.int_tuple<(?{div=4},8)>, !fly.int_tuple<(4,0)>) -> !fly.int_tuple<(?{div=4},8)>
            scf.yield %u : !fly.int_tuple<(?{div=4},8)>
          }
          %g = fly.get(%r) {mode = array<i32: 0>} : (!fly.int_tuple<(?{div=4},8)>) -> !fly.int_tuple<?{div=4}>
          %y = fly.get_scalar(%g) : (!fly.int_tuple<?{div=4}>) -> i32
          fly.ptr.store(%y, %out) : (i32, !fly.ptr<i32, global>) -> ()
          gpu.return
        } }
        """,
        "fly-rewrite-func-signature,fly-canonicalize,fly-layout-lowering,canonicalize",
    )
    loop = only(module, "scf.for")
    assert [str(result.type) for result in loop.results] == ["i32"]
    assert [op.name for op in module.walk() if op.name.startswith("fly.")] == ["fly.ptr.store"]


def test_tensors_that_loops_pass_on_unchanged_are_not_carried() -> None:
    module = rewritten(
        """
        gpu.module @m { gpu.func @k(%n: index, %t: !fly.memref<f32, global, (?,8):(8,1)>) kernel {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %t) -> (!fly.memref<f32, global, (?,8):(8,1)>) {
            fly.print(%s) : (!fly.memref<f32, global, (?,8):(8,1)>) -> ()
            scf.yield %s : !fly.memref<f32, global, (?,8):(8,1)>
          }
          gpu.return
        } }
        """
    )
    assert not only(module, "scf.for").results


def test_calls_and_returns_pass_tensors_as_pointers() -> None:
    module = rewritten(
        """
        func.func @inner(%t: !fly.memref<f32, global, (?,8):(8,1)>) -> !fly.memref<f32, global, (?,8):(8,1)> {
          func.return %t : !fly.memref<f32, global, (?,8):(8,1)>
        }
        func.func @outer(%t: !fly.memref<f32, global, (?,8):(8,1)>) -> !fly.memref<f32, global, (?,8):(8,1)> {
          %r = func.call @inner(%t) : (!fly.memref<f32, global, (?,8):(8,1)>) -> !fly.memref<f32, global, (?,8):(8,1)>
          func.return %r : !fly.memref<f32, global, (?,8):(8,1)>
        }
        """
    )
    call = only(module, "func.call")
    types = ["!fly.ptr<f32, global>", "!llvm.struct<packed (struct<packed (i32)>)>"]
    assert [str(t) for t in call.operand_types] == types
    assert [str(t) for t in call.result_types] == types
    rebuilt = ["fly.make_int_tuple", "fly.make_int_tuple", "fly.make_layout", "fly.make_view"]
    assert [op.name for op in module.walk() if op.name.startswith("fly.")] == rebuilt * 3


def test_what_nothing_uses_stays() -> None:
    module = rewritten(
        """
        func.func @f(%s: !fly.int_tuple<(?,8)>) {
          %x = fly.get(%s) {mode = array<i32: 0>} : (!fly.int_tuple<(?,8)>) -> !fly.int_tuple<?>
          func.return
        }
        """
    )
    assert [op.name for op in only(module, "func.func").regions[0].block.ops] == [
        *("llvm.extractvalue", "fly.make_int_tuple", "fly.get", "func.return"),
    ]


def test_a_dynamic_tile_cannot_be_an_argument() -> None:
    with pytest.raises(IRError, match="must be static"):
        rewritten("gpu.module @m { gpu.func @k(%a: !fly.tile<[?|64]>) kernel { gpu.return } }")


def test_a_loop_carries_numbers_beside_a_tensor() -> None:
    tensor = "!fly.memref<f32, global, (4,8):(1,4)>"
    module = rewritten(f"""gpu.module @m {{ gpu.func @k(%a: {tensor}, %x: f32, %go: i1) kernel {{
      %0:2 = scf.if %go -> (f32, {tensor}) {{
        scf.yield %x, %a : f32, {tensor}
      }} else {{
        scf.yield %x, %a : f32, {tensor}
      }}
      %1 = arith.addf %0#0, %0#0 : f32
      gpu.return
    }} }}""")
    assert [str(result.type) for result in only(module, "scf.if").results] == ["f32", "!fly.ptr<f32, global>"]
    assert only(module, "arith.addf").operands[0] == only(module, "scf.if").results[0]
