"""A generated module of about 1,100 Fly operations in, CPU milliseconds of each pass out (table and JSON).

The kernel has the operations of a tiled matrix product: partitions, slices, copies and matrix multiply-adds, unrolled.
Run: `python benchmarks/bench_passes.py [--repeat N] [--json FILE]`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from time import process_time
from typing import Any

from xdsl.dialects import arith, gpu
from xdsl.dialects.builtin import FunctionType, IndexType, ModuleOp, StringAttr, UnitAttr, f16, f32, i32
from xdsl.ir import Attribute, Block, Region, SSAValue

import flydsl.layout as fl
from flydsl.backend.pipeline import FLY_PIPELINE
from flydsl.ir import fly
from flydsl.ir.build import Builder
from flydsl.ir.fly.attributes import GLOBAL, SHARED, MmaOperand, MmaOperandAttr
from flydsl.ir.fly.infer import infer_results
from flydsl.ir.fly.types import (
    CopyAtomType,
    IntTupleType,
    LayoutType,
    MemRefType,
    MmaAtomType,
    PointerType,
    TiledCopyType,
    TiledMmaType,
    TileType,
    UniversalCopyType,
    UniversalFMAType,
    payload_type,
)
from flydsl.ir.gpu_ops import GPUFuncOp, GPUModuleOp, GPUReturnOp
from flydsl.passes.registry import run

OPERATIONS = {op.name: op for op in fly.Fly.operations}
TENSOR = MemRefType(f16, GLOBAL, fl.parse_layout("(?,?):(?{i64},1)"))
ATOM = CopyAtomType(UniversalCopyType(128), 16)
COPY = TiledCopyType(ATOM, LayoutType(fl.parse_layout("((8,32),8):((256,1),32)")), TileType(fl.parse_tile("[32|64]")))
MMA = TiledMmaType(MmaAtomType(UniversalFMAType(f32)), LayoutType(fl.parse_layout("(16,16,1):(1,16,0)")))
SWIZZLED = fl.ComposedLayout(fl.Swizzle(3, 3, 3), 0, fl.parse_layout("(32,64):(64,1)"))


class Generator:
    """A kernel under construction."""

    def __init__(self, types: Sequence[Attribute]) -> None:
        self.block = Block(arg_types=types)
        self.build = Builder(self.block)

    def fly(self, name: str, *operands: SSAValue, **attributes: Attribute) -> SSAValue:
        op_class = OPERATIONS[f"fly.{name}"]
        types = infer_results(op_class.name, [operand.type for operand in operands], attributes)
        return self.build.create(op_class, operands, types, attributes).results[0]

    def effect(self, name: str, *operands: SSAValue) -> None:
        self.build.create(OPERATIONS[f"fly.{name}"], operands)

    def static(self, value: Any) -> SSAValue:
        type_ = value if isinstance(value, Attribute) else payload_type(value)
        return self.build.create(fly.StaticOp, (), [type_]).results[0]

    def coord(self, pattern: Any, *leaves: SSAValue) -> SSAValue:
        return self.build.create(fly.MakeIntTupleOp, leaves, [IntTupleType(pattern)]).results[0]

    def index(self, op_class: Any, axis: str) -> SSAValue:
        dimension = {"dimension": gpu.DimensionAttr(gpu.DimensionEnum[axis])}
        found = self.build.create(op_class, (), [IndexType()], properties=dimension).results[0]
        return self.build.create(arith.IndexCastOp, [found], [i32]).results[0]


def stage(
    g: Generator, tensor: SSAValue, tiled: SSAValue, atom: SSAValue, thread: SSAValue, row: SSAValue, step: int
) -> None:
    """Bring one tile of a tensor to shared memory and back to registers, and multiply."""
    tile, star = g.static(fl.parse_tile("[32|64]")), fl.STAR
    mine = g.fly("slice", g.fly("flat_divide", tensor, tile), g.coord((star, star, fl.Dyn(), step), row))
    part = g.fly("tiled_copy.partition_src", tiled, mine, thread)
    fragment = g.fly("make_fragment_like", part)
    g.effect("copy", atom, part, fragment)
    base = g.build.create(fly.RecastIterOp, [g.fly("get_dyn_shared")], [PointerType(f16, SHARED, 1024)]).results[0]
    shared = g.fly("make_view", base, g.static(SWIZZLED))
    target = g.fly("tiled_copy.partition_dst", tiled, shared, thread)
    g.effect("copy", atom, g.fly("tiled_copy.retile", tiled, fragment), target)
    g.build.create(gpu.BarrierOp)
    again = g.fly("make_fragment_like", g.fly("tiled_copy.partition_src", tiled, shared, thread))
    g.effect("copy", atom, g.fly("tiled_copy.partition_src", tiled, shared, thread), again)
    whole = g.fly("memref.load_vec", again)
    g.effect("memref.store_vec", g.build.create(arith.AddfOp, [whole, whole], [whole.type]).results[0], again)
    place = g.fly("crd2idx", g.coord((fl.Dyn(), step), row), g.static(fl.parse_layout("(64,8):(8,1)")))
    g.effect("memref.store", g.fly("memref.load", again, g.static((0, 0, 0))), fragment, g.static((0, 0, 0)))
    g.fly("get_scalar", place)


def product(g: Generator, mma: SSAValue, thread: SSAValue, c: SSAValue) -> None:
    """One 32 x 32 x 4 matrix product in registers."""
    operands = {name: MmaOperandAttr(MmaOperand(name)) for name in "abc"}
    layouts = {"a": "(32,4):(4,1)", "b": "(32,4):(4,1)", "c": "(32,32):(32,1)"}
    fragments = {}
    for name, text in layouts.items():
        tile = g.fly("make_view", c, g.static(fl.parse_layout(text)))
        part = g.fly("tiled_mma.partition", mma, tile, thread, operand_id=operands[name])
        fragments[name] = g.fly("mma.make_fragment", mma, part, operand_id=operands[name])
        copy = g.static(CopyAtomType(UniversalCopyType(32), 32))
        g.effect("copy", copy, part, fragments[name])
    g.effect("gemm", mma, fragments["c"], fragments["a"], fragments["b"], fragments["c"])


def generate(steps: int) -> tuple[ModuleOp, int]:
    """A module, and the number of Fly operations in it."""
    types = [TENSOR, TENSOR, COPY, MMA, PointerType(f32, GLOBAL)]
    g = Generator(types)
    a, b, tiled, mma, c = g.block.args
    row, thread = g.index(gpu.BlockIdOp, "X"), g.coord(fl.Dyn(), g.index(gpu.ThreadIdOp, "X"))
    atom = g.static(ATOM)
    for step in range(steps):
        stage(g, a, tiled, atom, thread, row, step)
        stage(g, b, tiled, atom, thread, row, step)
        if step % 4 == 0:
            product(g, mma, thread, c)
    g.build.create(GPUReturnOp)
    function = GPUFuncOp.create(
        regions=[Region(g.block)],
        attributes={"sym_name": StringAttr("kernel"), "gpu.kernel": UnitAttr()},
        properties={"function_type": FunctionType.from_lists(types, [])},
    )
    body = Region(Block([function]))
    module = ModuleOp([GPUModuleOp.create(regions=[body], properties={"sym_name": StringAttr("kernels")})])
    return module, sum(op.name.startswith("fly.") for op in module.walk())


def measure(repeat: int, steps: int) -> dict[str, Any]:
    """Least CPU milliseconds of each pass, and what it leaves."""
    module, count = generate(steps)
    rows: list[dict[str, Any]] = [{"pass": name, "times": [], "ops": 0} for name in FLY_PIPELINE]
    for _ in range(repeat):
        work = module.clone()
        for row in rows:
            start = process_time()
            run(work, row["pass"])
            row["times"].append((process_time() - start) * 1e3)
            row["ops"] = sum(1 for _ in work.walk())
    for row in rows:
        row["ms"] = min(row.pop("times"))
    return {"fly_ops": count, "passes": rows, "total_ms": sum(row["ms"] for row in rows)}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--steps", type=int, default=19)
    parser.add_argument("--json", default="")
    options = parser.parse_args()
    result = measure(options.repeat, options.steps)
    print(f"{result['fly_ops']} Fly operations")
    for row in result["passes"]:
        print(f"{row['pass']:36} {row['ms']:8.2f} ms {row['ops']:6} operations after it")
    print(f"{'all passes':36} {result['total_ms']:8.2f} ms")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=2)


if __name__ == "__main__":
    main()
