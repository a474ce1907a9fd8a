"""Fences in front of products of warp groups, and waits that take and give every accumulator."""

from __future__ import annotations

from flydsl.ir.context import create_context
from flydsl.ir.emit import emit_generic
from flydsl.ir.parse import parse_module
from flydsl.passes.registry import run
from flydsl_cuda.dialect import FLY_NVVM

EXTRA = {"fly-nvvm-wgmma-order": "flydsl_cuda.passes.wgmma_order:FlyNvvmWgmmaOrder"}
ATOM = "!fly.mma_atom<!fly_nvvm.sm90.wgmma<64x8x16, (bf16, bf16) -> f32, a = smem, majors = (k, k)>>"
A, B = (f"!fly.memref<bf16, shared, ({rows},16):(16,1), align<16>>" for rows in (64, 8))
TOTAL = "!fly.memref<f32, register, 4:1>"
CALL = f"fly.mma_atom_call(%atom, %t, %a, %b, %t) : ({ATOM}, {TOTAL}, {A}, {B}, {TOTAL}) -> ()"
WAIT = '"fly_nvvm.wgmma_wait"() {count = %d : i32} : () -> ()'
COMMIT = '"fly_nvvm.wgmma_commit"() : () -> ()'
STORE = "fly.ptr.store(%v, %p) : (f32, !fly.ptr<f32, register>) -> ()"


def ordered(body: str) -> list[str]:
    """The operations of the kernel after the pass that are products, fences, loads, stores and the like."""
    context = create_context([FLY_NVVM])
    text = f"""
      "builtin.module"() ({{ "gpu.module"() <{{sym_name = "kernels"}}> ({{
        "gpu.func"() <{{function_type = ({A}, {B}, f32, i1) -> ()}}> ({{
        ^bb0(%a: {A}, %b: {B}, %v: f32, %c: i1):
          %p = fly.make_ptr() {{dictAttrs = {{allocSize = 4 : i64}}}} : () -> !fly.ptr<f32, register>
          %l = fly.static : !fly.layout<4:1>
          %t = fly.make_view(%p, %l) : (!fly.ptr<f32, register>, !fly.layout<4:1>) -> {TOTAL}
          %atom = fly.make_mma_atom : {ATOM}
          {body}
          "gpu.return"() : () -> ()
        }}) {{gpu.kernel, sym_name = "k"}} : () -> ()
      }}) : () -> () }}) {{gpu.container_module}} : () -> ()
    """
    module = parse_module(text, context, check=False)
    run(module, ["fly-nvvm-wgmma-order"], context=context, extra=EXTRA)
    assert emit_generic(module)
    wanted = ("wgmma_", "mma_atom_call", "ptr.load", "ptr.store", "scf.if")
    return [op.name.rpartition(".")[2] for op in module.walk() if any(word in op.name for word in wanted)]


CARRIED = ["load", "wgmma_wait", "store"]


def test_products_of_a_row_have_one_fence() -> None:
    body = "\n".join([CALL, CALL, COMMIT, WAIT % 0])
    assert ordered(body) == ["wgmma_fence", "mma_atom_call", "mma_atom_call", "wgmma_commit", *CARRIED]


def test_a_write_to_registers_a_commit_or_a_branch_asks_for_another_fence() -> None:
    branch = f'"scf.if"(%c) ({{ {STORE}\n"scf.yield"() : () -> () }}, {{}}) : (i1) -> ()'
    fenced = ["wgmma_fence", "mma_atom_call"]
    assert ordered("\n".join([CALL, STORE, CALL])) == [*fenced, "store", *fenced]
    assert ordered("\n".join([CALL, COMMIT, CALL])) == [*fenced, "wgmma_commit", *fenced]
    assert ordered("\n".join([CALL, branch, CALL])) == [*fenced, "if", "store", *fenced]


def test_a_fence_of_the_program_is_enough() -> None:
    assert ordered('"fly_nvvm.wgmma_fence"() : () -> ()\n' + CALL) == ["wgmma_fence", "mma_atom_call"]


def test_a_wait_that_leaves_groups_takes_nothing() -> None:
    assert ordered("\n".join([CALL, COMMIT, WAIT % 1]))[-1:] == ["wgmma_wait"]


def test_accumulators_of_an_inner_block_do_not_reach_a_wait_behind_it() -> None:
    inner = f"""
      %q = fly.make_ptr() {{dictAttrs = {{allocSize = 4 : i64}}}} : () -> !fly.ptr<f32, register>
      %u = fly.make_view(%q, %l) : (!fly.ptr<f32, register>, !fly.layout<4:1>) -> {TOTAL}
      {CALL.replace("%t", "%u")}
      {WAIT % 0}
      "scf.yield"() : () -> ()"""
    body = f'"scf.if"(%c) ({{ {inner} }}, {{}}) : (i1) -> ()\n{WAIT % 0}'
    assert ordered(body) == ["if", "wgmma_fence", "mma_atom_call", *CARRIED, "wgmma_wait"]


def test_kernels_without_such_products_stay_as_they_are() -> None:
    assert ordered(WAIT % 0) == ["wgmma_wait"]
