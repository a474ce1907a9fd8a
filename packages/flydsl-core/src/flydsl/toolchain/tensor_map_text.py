"""The MLIR text of what a launcher does for its tensor maps: a function that fills in a FlyTensorMapSpec for each."""

from __future__ import annotations

from dataclasses import dataclass

TENSOR_MAP_BYTES, TENSOR_MAP_ALIGNMENT = 128, 64


@dataclass(frozen=True, slots=True)
class TensorMap:
    """The function that has one tensor map made; `address` is the MLIR type of the tensor's address."""

    function: str
    rank: int
    address: str
    recipe: bytes


def map_function(found: TensorMap) -> str:
    """Take the place of the map and what is known of the tensor, and call `fly_encode` (launcher.mlir)."""
    names = [f"%{kind}{i}" for kind in ("n", "s") for i in range(found.rank)]
    recipe = "".join(f"\\{byte:02X}" for byte in found.recipe)
    fields = "".join(_store(f"{3 + (name[1] == 's')}, {name[2:]}", name, "i64", f"{name}.at") for name in names)
    constant = f"@{found.function}_recipe"
    return f"""
llvm.mlir.global internal constant {constant}("{recipe}")
func.func private @{found.function}(%state: !llvm.ptr, %map: !llvm.ptr, %address: {found.address}
    {"".join(f", {name}: i64" for name in names)}) attributes {{llvm.linkage = #internal}} {{
  %one = arith.constant 1 : i32
  %spec = llvm.alloca %one x !spec : (i32) -> !llvm.ptr
  %rank = arith.constant {found.rank} : i32
  %recipe = llvm.mlir.addressof {constant} : !llvm.ptr
  %recipe.size = arith.constant {len(found.recipe)} : i64
{_store("1", "%rank", "i32", "%rank.at")}{_store("2", "%address", found.address, "%address.at")}{fields}\
{_store("5", "%recipe", "!llvm.ptr", "%recipe.at")}{_store("6", "%recipe.size", "i64", "%recipe.size.at")}\
  func.call @fly_encode(%state, %spec, %map) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
  return
}}
"""


def _store(path: str, value: str, kind: str, address: str) -> str:
    return (
        f"  {address} = llvm.getelementptr %spec[0, {path}] : (!llvm.ptr) -> !llvm.ptr, !spec\n"
        f"  llvm.store {value}, {address} : {kind}, !llvm.ptr\n"
    )
