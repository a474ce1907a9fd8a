"""One or more well-formed uses of every operation of the dialect, as (operand types, call, result type)."""

from __future__ import annotations

from dataclasses import dataclass

ATOM = "!fly.copy_atom<!fly.universal_copy<128>, 32>"
TILED_COPY = f"!fly.tiled_copy<{ATOM}, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>"
FMA = "!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>"
TILED_MMA = f"!fly.tiled_mma<{FMA}, !fly.layout<(16,16,1):(16,1,0)>>"
GLOBAL = "!fly.memref<f32, global, (?,?):(?{i64},1)>"
TILE = "!fly.memref<f32, global, (8,64):(?{i64},1)>"
FRAGMENT = "!fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>"
PART = "!fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>"
COORDS = "!fly.coord_tensor<(?{div=8},?{div=64}), (8,64):(1E0,1E1)>"
SWIZZLED = "!fly.composed_layout<S<3,4,3> o 0 o (8,8):(1,8)>"


@dataclass(frozen=True)
class Case:
    """`%r = call : (operands) -> result`, where the call names its operands %0, %1, ..."""

    operands: tuple[str, ...]
    call: str
    result: str

    @property
    def name(self) -> str:
        """The operation's name."""
        return self.call.partition("(")[0].partition("<")[0].partition(" ")[0]

    @property
    def line(self) -> str:
        """The operation in its own syntax."""
        head = "%r = " if self.result not in ("()",) and not self.result.startswith("(i") else self._many()
        if not self.operands and ("(" not in self.call.partition(" ")[0] or "shared" in self.call):
            return f"{head}{self.call} : {self.result}"
        return f"{head}{self.call} : ({', '.join(self.operands)}) -> {self.result}"

    @property
    def text(self) -> str:
        """The operation and what defines its operands."""
        lines = [
            f'%{number} = "builtin.unrealized_conversion_cast"() : () -> {type_}'
            for number, type_ in enumerate(self.operands)
        ]
        return "\n".join([*lines, self.line])

    def _many(self) -> str:
        count = 0 if self.result == "()" else self.result.count(",") + 1
        return f"%r:{count} = " if count else ""


def _case(operands: str, call: str, result: str) -> Case:
    return Case(tuple(operands.split("; ")) if operands else (), call, result)


def _t(value: str) -> str:
    return f"!fly.int_tuple<{value}>"


def _l(value: str) -> str:
    return f"!fly.layout<{value}>"


def _unary(name: str, operand: str, result: str, attributes: str = "") -> Case:
    return _case(operand, f"fly.{name}(%0){attributes}", result)


def _binary(name: str, first: str, second: str, result: str) -> Case:
    return _case(f"{first}; {second}", f"fly.{name}(%0, %1)", result)


INT_TUPLES = [
    _case("", "fly.static", "!fly.tile<[8|64]>"),
    _case("", "fly.static", _l("(4,8):(1,4)")),
    _case("i32; i32", "fly.make_int_tuple(%0, %1)", _t("(*,*,?,?)")),
    _case("i32; i64", "fly.make_shape(%0, %1)", _t("(4,(?,?{i64 div=8}))")),
    _case("i64", "fly.make_stride(%0)", _t("(1,?{i64})")),
    _case("", "fly.make_coord()", _t("(0,*)")),
    _unary("get_scalar", _t("?{i64 div=8}"), "i64"),
    _unary("get_scalar", _t("7"), "i32"),
    _unary("get_leaves", _t("(4,(?,?{i64}))"), "(i32, i32, i64)"),
    _unary("get_leaves", _t("(4,(?,?{i64}))"), "(i32, i64)", " {dynamicOnly = true}"),
    _binary("int_tuple_add", _t("(1,?{div=4})"), _t("(2,6)"), _t("(3,?{div=2})")),
    _binary("int_tuple_add", _t("1E0"), _t("2E1"), _t("(1,2)")),
    _binary("int_tuple_sub", _t("(5,8)"), _t("(2,6)"), _t("(3,2)")),
    _binary("int_tuple_mul", _t("(?,8)"), _t("(4,6)"), _t("(?{div=4},48)")),
    _binary("int_tuple_div", _t("(9,?)"), _t("(4,2)"), _t("(2,?)")),
    _binary("int_tuple_mod", _t("(9,?{div=8})"), _t("(4,12)"), _t("(1,?{div=4})")),
    _unary("int_tuple_product", _t("(4,(2,8))"), _t("64")),
    _unary("int_tuple_product_each", _t("(4,(2,8))"), _t("(4,16)")),
    _binary("int_tuple_product_like", _t("((4,2),(2,8))"), _t("(1,1)"), _t("(8,16)")),
    _binary("shape_div", _t("(8,6)"), _t("4"), _t("(2,6)")),
    _binary("ceil_div", _t("(9,?)"), _t("(4,1)"), _t("(3,?)")),
    _binary("elem_less", _t("(?,?{div=4})"), _t("(?,?)"), "i1"),
    _binary("equal", _t("(1,2)"), _t("(1,2)"), "i1"),
]

LAYOUTS = [
    _binary("make_layout", _t("(4,8)"), _t("(1,?)"), _l("(4,8):(1,?)")),
    _unary("make_layout_like", _l("(4,8):(8,1)"), _l("(4,8):(8,1)")),
    _binary("make_ordered_layout", _t("(4,8)"), _t("(1,0)"), _l("(4,8):(8,1)")),
    _unary("make_identity_layout", _t("(?,?)"), _l("(?,?):(1E0,1E1)")),
    _case(f"!fly.swizzle<S<3,4,3>>; {_t('0')}; {_l('(8,8):(1,8)')}", "fly.make_composed_layout(%0, %1, %2)", SWIZZLED),
    _unary("make_fragment_layout_like", _l("((4,1),2):((1,0),64)"), _l("((4,1),2):((1,0),4)")),
    _unary("composed_get_inner", SWIZZLED, "!fly.swizzle<S<3,4,3>>"),
    _unary("composed_get_offset", SWIZZLED, _t("0")),
    _unary("composed_get_outer", SWIZZLED, _l("(8,8):(1,8)")),
    _unary("get_shape", _l("(4,8):(1,?)"), _t("(4,8)")),
    _unary("get_shape", GLOBAL, _t("(?,?)")),
    _unary("get_stride", GLOBAL, _t("(?{i64},1)")),
    _unary("get_layout", GLOBAL, _l("(?,?):(?{i64},1)")),
    _unary("get_iter", GLOBAL, "!fly.ptr<f32, global>"),
    _unary("get_iter", COORDS, _t("(?{div=8},?{div=64})")),
    _unary("get", _t("(4,(2,8))"), _t("8"), " {mode = array<i32: 1, 1>}"),
    _unary("get", TILE, "!fly.memref<f32, global, 64:1>", " {mode = array<i32: 1>}"),
    _unary("take", _l("(4,2,8):(1,4,8)"), _l("(2,8):(4,8)"), " {begin = 1 : i32, end = 3 : i32}"),
    _unary("select", _l("(4,2,8):(1,4,8)"), _l("(8,4):(8,1)"), " {indices = array<i32: 2, 0>}"),
    _unary("group", _l("(4,2,8):(1,4,8)"), _l("(4,(2,8)):(1,(4,8))"), " {begin = 1 : i32, end = 3 : i32}"),
    _binary("append", _l("(4,2):(1,4)"), _l("1:0"), _l("(4,2,1):(1,4,0)")),
    _binary("append<4>", _l("(4,2):(1,4)"), _l("1:0"), _l("(4,2,1,1):(1,4,0,0)")),
    _binary("prepend<3>", _l("(4,2):(1,4)"), _l("1:0"), _l("(1,4,2):(0,1,4)")),
    _binary("slice", "!fly.memref<f32, global, (8,64,?,?):(?{i64},1,?{i64 div=8},64)>", _t("(*,*,?,?)"), TILE),
    _binary("slice", _l("(4,8):(1,4)"), _t("(*,3)"), _l("4:1")),
    _binary("dice", _l("(4,8):(1,4)"), _t("(*,3)"), _l("8:4")),
    _unary("size", _l("(4,8):(1,4)"), _t("32")),
    _unary("coprofile", _l("(4,8):(1E0,1E1)"), _t("(0,0)")),
    _unary("coshape", _l("(4,8):(1E0,1E1)"), _t("(4,8)")),
    _unary("cosize", _l("(4,8):(1,4)"), _t("32")),
    _binary("crd2idx", _t("(1,?)"), _l("(4,8):(1,4)"), _t("?")),
    _binary("idx2crd", _t("6"), _l("(4,8):(1,4)"), _t("(2,1)")),
    _binary("get_flat_coord", _t("6"), _l("((2,2),8):((1,2),4)"), _t("(2,1)")),
    _binary("get_1d_coord", _t("6"), _l("(4,8):(8,1)"), _t("24")),
    _unary("coalesce", _l("(4,8):(1,4)"), _l("32:1")),
    _binary("coalesce", _l("((2,2),8):((1,2),4)"), _t("(1,1)"), _l("(4,8):(1,4)")),
    _binary("composition", _l("(4,8):(8,1)"), _l("4:8"), _l("4:2")),
    _binary("composition", _l("(4,8):(1,4)"), "!fly.tile<[2|*]>", _l("(2,8):(1,4)")),
    _unary("complement", _l("4:2"), _l("2:1")),
    _binary("complement", _l("4:2"), _t("24"), _l("(2,3):(1,8)")),
    _unary("right_inverse", _l("(4,8):(8,1)"), _l("(8,4):(4,1)")),
    _unary("left_inverse", _l("(4,8):(8,1)"), _l("(8,4):(4,1)")),
    _binary("logical_divide", _l("16:1"), _l("4:1"), _l("(4,4):(1,4)")),
    _binary(
        "zipped_divide",
        TILE,
        "!fly.tile<[4|8]>",
        "!fly.memref<f32, global, ((4,8),(2,8)):((?{i64},1),(?{i64 div=4},8))>",
    ),
    _binary("tiled_divide", _l("(8,64):(64,1)"), "!fly.tile<[4|8]>", _l("((4,8),2,8):((64,1),256,8)")),
    _binary(
        "flat_divide", GLOBAL, "!fly.tile<[8|64]>", "!fly.memref<f32, global, (8,64,?,?):(?{i64},1,?{i64 div=8},64)>"
    ),
    _binary("logical_product", _l("4:1"), _l("3:1"), _l("(4,3):(1,4)")),
    _binary("zipped_product", _l("(2,2):(1,2)"), _l("(3,5):(1,3)"), _l("((2,2),(3,5)):((1,2),(4,12))")),
    _binary("tiled_product", _l("(2,2):(1,2)"), _l("(3,5):(1,3)"), _l("((2,2),3,5):((1,2),4,12)")),
    _binary("flat_product", _l("(2,2):(1,2)"), _l("(3,5):(1,3)"), _l("(2,2,3,5):(1,2,4,12)")),
    _binary("blocked_product", _l("(2,2):(1,2)"), _l("(3,5):(1,3)"), _l("((2,3),(2,5)):((1,4),(2,12))")),
    _binary("raked_product", _l("(2,2):(1,2)"), _l("(3,5):(1,3)"), _l("((3,2),(5,2)):((4,1),(12,2))")),
    _unary(
        "recast_layout", _l("(8,4):(1,8)"), _l("(4,4):(1,4)"), " {old_type_bits = 16 : i32, new_type_bits = 32 : i32}"
    ),
    _case(
        f"{_l('(2,2):(1,2)')}; {_t('(4,4)')}; {_t('(0,1)')}",
        "fly.tile_to_shape(%0, %1, %2)",
        _l("((2,2),(2,2)):((1,4),(2,8))"),
    ),
]

MEMORY = [
    _binary("make_view", "!fly.ptr<f32, global>", _l("(?,?):(?{i64},1)"), GLOBAL),
    _binary("make_view", _t("(0,0)"), _l("(?,?):(1E0,1E1)"), "!fly.coord_tensor<(0,0), (?,?):(1E0,1E1)>"),
    _unary("make_fragment_like", PART, FRAGMENT),
    _unary("make_fragment_like", _l("(4,2):(2,1)"), "!fly.memref<f16, register, (4,2):(1,4)>", " {dtype = f16}"),
    _unary(
        "decomposition",
        "!fly.memref<f16, shared, S<3,3,3> o 64 o (8,64):(64,1), align<128>>",
        "!fly.memref<f16, shared, (8,64):(64,1), align<128>, S<3,4,3>>",
    ),
    _unary(
        "decomposition",
        "!fly.memref<f32, global, 128:2 o 5 o [128:3 o 7 o (4,8):(1,4)]>",
        "!fly.memref<f32, global, (4,8):(1,4)>",
    ),
    _case("", "fly.make_ptr() {dictAttrs = {allocSize = 4 : i64}}", "!fly.ptr<f32, register>"),
    _case("i64; i32", "fly.make_int_tuple(%0, %1)", _t("(?,?{i64})")),
    _case("", "fly.get_dyn_shared()", "!fly.ptr<i8, shared, align<1024>>"),
    _unary("inttoptr", "i64", "!fly.ptr<f32, global, align<16>>"),
    _unary("ptrtoint", "!fly.ptr<f32, global>", "i64"),
    _unary("to_llvm_ptr", "!fly.ptr<f32, global>", "!llvm.ptr<1>", " {llvm_address_space = 1 : i32}"),
    _binary("add_offset", "!fly.ptr<f32, global>", _t("?{i64}"), "!fly.ptr<f32, global>"),
    _binary("add_offset", "!fly.ptr<f16, shared, align<16>>", _t("?{div=4}"), "!fly.ptr<f16, shared, align<8>>"),
    _binary("add_offset", _t("(0,?)"), _t("(4,8)"), _t("(4,?)")),
    _binary("apply_swizzle", "!fly.ptr<f16, shared>", "!fly.swizzle<S<3,4,3>>", "!fly.ptr<f16, shared, S<3,4,3>>"),
    _unary("recast_iter", "!fly.ptr<i8, shared, align<1024>>", "!fly.ptr<f16, shared, align<1024>>"),
    _unary("ptr.load", "!fly.ptr<f32, register>", "vector<4xf32>"),
    _case("vector<4xf32>; !fly.ptr<f32, register>", "fly.ptr.store(%0, %1)", "()"),
    _unary("memref.alloca", _l("(4,2):(1,4)"), "!fly.memref<f16, register, (4,2):(1,4)>"),
    _binary("memref.load", GLOBAL, _t("(?,3)"), "f32"),
    _binary("memref.load", COORDS, _t("(1,2)"), _t("(?,?{div=2})")),
    _case(f"f32; {GLOBAL}; {_t('(?,3)')}", "fly.memref.store(%0, %1, %2)", "()"),
    _unary("memref.load_vec", FRAGMENT, "vector<4xf32>"),
    _unary("memref.load_vec", "!fly.coord_tensor<?, (4,2):(1,4)>", "vector<8xi32>"),
    _unary("memref.load_vec", "!fly.coord_tensor<3, (4,2):(1,?{i64})>", "vector<8xi64>"),
    _case(f"vector<4xf32>; {FRAGMENT}", "fly.memref.store_vec(%0, %1)", "()"),
    _unary("extract_aligned_pointer_as_index", TILE, "index"),
    _case(f"i32; {_t('(?,3)')}", 'fly.print(%0, %1) {format = "{} at {}"}', "()"),
    _case("i32", 'fly.breakpoint(%0) {variables = {n = "v[0]"}}', "()"),
    _binary("assume", _t("?"), _t("?"), _t("?{div=4}")),
]

COPIES = [
    _case("", "fly.make_copy_atom {valBits = 32 : i32}", ATOM),
    _case(f"{ATOM}; {_l('((16,8),4):((32,1),8)')}; !fly.tile<[8|64]>", "fly.make_tiled_copy(%0, %1, %2)", TILED_COPY),
    _unary("get_copy_atom", TILED_COPY, ATOM),
    _case(f"{TILED_COPY}; {TILE}; {_t('?')}", "fly.tiled_copy.partition_src(%0, %1, %2)", PART),
    _case(
        f"{TILED_COPY}; {COORDS}; {_t('?')}",
        "fly.tiled_copy.partition_src(%0, %1, %2)",
        "!fly.coord_tensor<(?,?{div=4}), ((4,1),1,1):((1E1,0),0,0)>",
    ),
    _case(f"{TILED_COPY}; {TILE}; {_t('?')}", "fly.tiled_copy.partition_dst(%0, %1, %2)", PART),
    _binary("tiled_copy.retile", TILED_COPY, FRAGMENT, FRAGMENT),
    _case(f"{ATOM}; {PART}; {FRAGMENT}", "fly.copy_atom_call(%0, %1, %2)", "()"),
    _case(f"{ATOM}; {PART}; {FRAGMENT}; !fly.memref<i1, register, 1:0>", "fly.copy_atom_call(%0, %1, %2, %3)", "()"),
    _case(
        f"{ATOM}; {PART}",
        "fly.copy_atom_call_ssa(%0, %1) {operandSegmentSizes = array<i32: 1, 1, 0, 0>}",
        "vector<4xf32>",
    ),
    _case(
        f"{ATOM}; vector<4xf32>; {PART}; i1",
        "fly.copy_atom_call_ssa(%0, %1, %2, %3) {operandSegmentSizes = array<i32: 1, 1, 1, 1>}",
        "()",
    ),
    _case(f"{TILED_COPY}; {PART}; {FRAGMENT}", "fly.copy(%0, %1, %2)", "()"),
]

_MATRIX = "!fly.memref<f32, register, (1,2,2):(0,1,2)>"
_MATRICES = "; ".join([_MATRIX] * 4)
MMAS = [
    _case("", "fly.make_mma_atom", FMA),
    _case(f"{FMA}; {_l('(16,16,1):(16,1,0)')}", "fly.make_tiled_mma(%0, %1)", TILED_MMA),
    _case(
        f"{FMA}; {_l('(16,16,1):(16,1,0)')}; !fly.tile<[32|*|*]>",
        "fly.make_tiled_mma(%0, %1, %2)",
        f"!fly.tiled_mma<{FMA}, !fly.layout<(16,16,1):(16,1,0)>, !fly.tile<[32|*|*]>>",
    ),
    _unary("get_mma_atom", TILED_MMA, FMA),
    _case(
        f"{TILED_MMA}; !fly.memref<f32, shared, (64,8):(8,1)>; {_t('?')}",
        "fly.tiled_mma.partition(a, %0, %1, %2)",
        "!fly.memref<f32, shared, (1,4,8):(0,128,1)>",
    ),
    _case(f"{TILED_MMA}; {_t('(64,32)')}", "fly.tiled_mma.partition_shape(c, %0, %1)", _t("(1,4,2)")),
    _case(
        f"{TILED_MMA}; !fly.memref<f32, shared, (1,4,8):(0,128,1)>",
        "fly.mma.make_fragment(a, %0, %1)",
        "!fly.memref<f32, register, (1,4,8):(0,8,1)>",
    ),
    _case(
        f"{TILED_MMA}; !fly.memref<f32, shared, (1,4,8):(0,128,1)>",
        "fly.mma.make_fragment(a, %0, %1, stages = 2)",
        "!fly.memref<f32, register, (1,4,8,2):(0,8,1,32)>",
    ),
    _case(f"{FMA}; {_MATRICES}", "fly.mma_atom_call(%0, %1, %2, %3, %4)", "()"),
    _case(
        f"{FMA}; f32; f32; f32",
        "fly.mma_atom_call_ssa(%0, %1, %2, %3)",
        "f32",
    ),
    _case(f"{FMA}; f32; f32; f32; {_MATRIX}", "fly.mma_atom_call_ssa(%0, %1, %2, %3) dst = %4", "()"),
    _case(f"{FMA}; {_MATRICES}", "fly.gemm(%0, %1, %2, %3, %4)", "()"),
    _case(
        f"{FMA}; {_MATRICES}; {_l('(2,2,2):(1,2,4)')}",
        "fly.gemm(%0, %1, %2, %3, %4, %5) {traversalOrder = #fly<gemm_traversal_order kmn_serpentine>}",
        "()",
    ),
]

CASES = [*INT_TUPLES, *LAYOUTS, *MEMORY, *COPIES, *MMAS]
