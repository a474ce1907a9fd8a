"""What kernels become: instructions of shuffles, indices, math, atomics, shared memory and parameters, in PTX."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

Kernel = Callable[..., str]
Ptx = Callable[..., str]
Lower = Callable[..., str]
OUT = "!fly.ptr<i32, global>"


def stored(body: str, value: str = "%v", type_: str = "i32") -> tuple[str, str]:
    """Arguments and body of a kernel that stores a value."""
    pointer = f"!fly.ptr<{type_}, global>"
    return f"%p: {pointer}", f"{body}\nfly.ptr.store({value}, %p) : ({type_}, {pointer}) -> ()"


def shuffle(mode: int, offset: str, width: int = 32, type_: str = "i32") -> str:
    return f"""
      %x = fly.ptr.load(%p) : (!fly.ptr<{type_}, global>) -> {type_}
      %one = arith.constant 1 : i32
      %o = {offset}
      %w = arith.constant {width} : i32
      %v, %ok = "gpu.shuffle"(%x, %o, %w) <{{mode = {mode} : i32}}> : ({type_}, i32, i32) -> ({type_}, i1)
    """


@pytest.mark.parametrize(
    ("mode", "name", "width", "clamp"),
    [
        (0, "bfly", 32, 31),
        (0, "bfly", 16, 4111),
        (1, "up", 32, 0),
        (1, "up", 8, 6144),
        (2, "down", 16, 4111),
        (3, "idx", 8, 6151),
    ],
)
def test_shuffles_stay_in_their_group(kernel: Kernel, ptx: Ptx, mode: int, name: str, width: int, clamp: int) -> None:
    text = ptx(kernel(*stored(shuffle(mode, "arith.constant 3 : i32", width))))
    assert re.findall(r"shfl\.sync\.(\w+)\.b32\s+\S+, \S+, (\w+), (\w+), (-?\d+)", text) == [
        (name, "3", str(clamp), "-1")
    ]


def test_shuffles_by_a_number_of_run_time_read_a_lane_of_the_group(kernel: Kernel, ptx: Ptx) -> None:
    dynamic = ptx(kernel(*stored(shuffle(0, "arith.addi %x, %one : i32"))))
    assert "shfl.sync.idx.b32" in dynamic
    assert "%laneid" in dynamic
    assert "%laneid" not in ptx(kernel(*stored(shuffle(3, "arith.addi %x, %one : i32"))))


def test_shuffles_of_64_bits_are_two(kernel: Kernel, ptx: Ptx) -> None:
    text = ptx(kernel(*stored(shuffle(0, "arith.constant 1 : i32", type_="f64"), type_="f64")))
    assert text.count("shfl.sync.bfly.b32") == 2


def test_the_number_of_a_warp_is_that_of_its_threads(kernel: Kernel, ptx: Ptx) -> None:
    body = """%i = "gpu.subgroup_id"() : () -> index
      %v = arith.index_cast %i : index to i32"""
    text = ptx(kernel(*stored(body), block=(64, 2, 1)))
    assert "%warpid" not in text
    assert ("%tid.x" in text, "%tid.y" in text, "%ntid" in text) == (True, True, False)
    assert "%ntid.x" in ptx(kernel(*stored(body), block=None))


@pytest.mark.parametrize(
    ("name", "instruction"),
    [
        ("sqrt", "sqrt.rn.f32"),
        ("rsqrt", "rsqrt.approx.f32"),
        ("floor", "cvt.rmi.f32.f32"),
        ("absf", "abs.f32"),
        ("roundeven", "cvt.rni"),
    ],
)
def test_math_is_an_instruction(kernel: Kernel, ptx: Ptx, name: str, instruction: str) -> None:
    body = f"%x = fly.ptr.load(%p) : (!fly.ptr<f32, global>) -> f32\n%v = math.{name} %x : f32"
    assert instruction in ptx(kernel(*stored(body, type_="f32")))


@pytest.mark.parametrize(
    ("name", "instruction"),
    [
        ("exp", "ex2.approx"),
        ("exp2", "ex2.approx"),
        ("log", "lg2.approx"),
        ("sin", "sin.approx"),
        ("sqrt", "sqrt.approx"),
    ],
)
def test_math_that_may_be_approximated_is_one_of_the_special_ones(
    kernel: Kernel, ptx: Ptx, name: str, instruction: str
) -> None:
    body = f"%x = fly.ptr.load(%p) : (!fly.ptr<f32, global>) -> f32\n%v = math.{name} %x{{}} : f32"
    fast, precise = (ptx(kernel(*stored(body.format(f), type_="f32"))) for f in (" fastmath<afn>", ""))
    assert instruction in fast
    assert instruction not in precise
    assert fast.count("\n") < precise.count("\n") or name == "sqrt"


@pytest.mark.parametrize(
    "name",
    ["acos", "asinh", "atan", "cbrt", "cos", "cosh", "erf", "exp", "sin", "expm1", "log10", "log1p", "tan", "tanh"],
)
@pytest.mark.parametrize("type_", ["f32", "f16", "bf16"])
def test_no_function_calls_a_library(kernel: Kernel, ptx: Ptx, name: str, type_: str) -> None:
    body = f"%x = fly.ptr.load(%p) : (!fly.ptr<{type_}, global>) -> {type_}\n%v = math.{name} %x : {type_}"
    text = ptx(kernel(*stored(body, type_=type_)))
    assert (".extern" in text, "call" in text) == (False, False)


@pytest.mark.parametrize(("name", "instruction"), [("maxnumf", "max.f32"), ("minimumf", "min.NaN.f32")])
def test_extremes_are_instructions(kernel: Kernel, ptx: Ptx, name: str, instruction: str) -> None:
    body = f"""
      %x = fly.ptr.load(%p) : (!fly.ptr<f32, global>) -> f32
      %zero = arith.constant 0.0 : f32
      %v = arith.{name} %x, %zero : f32
    """
    assert instruction in ptx(kernel(*stored(body, type_="f32")))


@pytest.mark.parametrize(("op", "instruction"), [("ctpop", "popc.b32"), ("ctlz", "clz.b32"), ("absi", "abs.s32")])
def test_integer_math_is_an_instruction(kernel: Kernel, ptx: Ptx, op: str, instruction: str) -> None:
    body = f"%x = fly.ptr.load(%p) : ({OUT}) -> i32\n%v = math.{op} %x : i32"
    assert instruction in ptx(kernel(*stored(body)))


ORDERINGS = [
    (2, []),
    (4, ["atom", "fence.acquire|fence.acq_rel"]),
    (5, ["fence.release|fence.acq_rel", "atom"]),
    (6, ["fence.release|fence.acq_rel", "atom", "fence.acquire|fence.acq_rel"]),
    (7, ["fence.sc", "atom", "fence.acquire|fence.acq_rel"]),
]


@pytest.mark.parametrize(("ordering", "expected"), ORDERINGS)
@pytest.mark.parametrize(("scope", "suffix"), [("agent", "gpu"), ("workgroup", "cta"), ("", "sys")])
def test_atomics_have_the_fences_of_their_ordering(
    kernel: Kernel, ptx: Ptx, ordering: int, expected: list[str], scope: str, suffix: str
) -> None:
    stated = f', syncscope = "{scope}"' if scope else ""
    body = f"""
      %one = arith.constant 1 : i32
      %a = fly.to_llvm_ptr(%p) : ({OUT}) -> !llvm.ptr<1>
      %v = "llvm.atomicrmw"(%a, %one) {{bin_op = 1 : i64, ordering = {ordering} : i64{stated}}}
        : (!llvm.ptr<1>, i32) -> i32
    """
    lines = [line.strip() for line in ptx(kernel(*stored(body))).splitlines()]
    found = [line for line in lines if line.startswith(("atom", "fence"))]
    for line, spellings in zip(found, expected or ["atom"], strict=True):
        assert line.startswith(tuple(spellings.split("|"))), found
        is_plain = line.startswith("atom.global")  # whose scope is the device
        assert f".{suffix}" in line or (suffix != "sys" and is_plain), found


@pytest.mark.parametrize(
    ("kind", "type_", "instruction"),
    [
        (0, "f32", "exch.b32"),
        (1, "i64", "add.u64"),
        (2, "i32", "add.u32"),
        (7, "i32", "max.s32"),
        (9, "i64", "max.u64"),
        (11, "f64", "add.f64"),
        (12, "f32", "add.f32"),
        (15, "i32", "inc.u32"),
    ],
)
def test_atomics_for_the_whole_system_say_so(kernel: Kernel, ptx: Ptx, kind: int, type_: str, instruction: str) -> None:
    body = f"""
      %x = fly.ptr.load(%p) : (!fly.ptr<{type_}, global>) -> {type_}
      %a = fly.to_llvm_ptr(%p) : (!fly.ptr<{type_}, global>) -> !llvm.ptr<1>
      %v = "llvm.atomicrmw"(%a, %x) {{bin_op = {kind} : i64, ordering = 2 : i64}} : (!llvm.ptr<1>, {type_}) -> {type_}
    """
    generic = body.replace("!llvm.ptr<1>", "!llvm.ptr")  # as `fx.atomic_add` has it
    for text in (ptx(kernel(*stored(given, type_=type_))) for given in (generic, body)):
        assert f"atom.relaxed.sys.global.{instruction} " in text
    assert any(word in text for word in ("neg.", "sub.", "xor.")) == (kind in (2, 12)), text


def test_shared_memory_is_defined_and_dynamic_memory_is_not(kernel: Kernel, ptx: Ptx) -> None:
    body = """
      %s = fly.make_ptr() {dictAttrs = {allocBytes = 256 : i64, allocAlign = 16 : i64}} : () -> !fly.ptr<i32, shared>
      %d = fly.get_dyn_shared() : () -> !fly.ptr<i32, shared, align<16>>
      %x = fly.ptr.load(%d) : (!fly.ptr<i32, shared, align<16>>) -> i32
      fly.ptr.store(%x, %s) : (i32, !fly.ptr<i32, shared>) -> ()
      %v = fly.ptr.load(%s) : (!fly.ptr<i32, shared>) -> i32
    """
    text = ptx(kernel(*stored(body)))
    assert ".shared .align 16 .b8 __shared_alloc_0[256];" in text, text
    assert ".extern .shared .align 16 .b8 __shared_alloc_0" not in text
    assert re.search(r"^\.extern \.shared \.align 16 \.b8 __dynamic_shared_0\[\];", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("fields", "size", "alignment", "loads"),
    [
        ("i32, i64", 12, 4, 2),
        ("i32, i32, i64", 16, 8, 1),
        ("i8, i32", 5, 1, 4),
        ("struct<packed (i64)>, i16", 10, 2, 4),
    ],
)
def test_packed_parameters_are_read_in_words(
    kernel: Kernel, ptx: Ptx, fields: str, size: int, alignment: int, loads: int
) -> None:
    struct = f"!llvm.struct<packed ({fields})>"
    last = {"i32, i64": 1, "i32, i32, i64": 2, "i8, i32": 1, "struct<packed (i64)>, i16": 0}[fields]
    path, type_ = f"{last}", ("i32" if fields == "i8, i32" else "i64")
    inner = "struct" in fields
    kind = "!llvm.struct<packed (i64)>" if inner else type_
    body = f'%w = "llvm.extractvalue"(%s) <{{position = array<i64: {path}>}}> : ({struct}) -> {kind}\n'
    body += f'%v = "llvm.extractvalue"(%w) <{{position = array<i64: 0>}}> : ({kind}) -> {type_}' if inner else ""
    arguments, content = stored(body, "%v" if inner else "%w", type_)
    text = ptx(kernel(f"{arguments}, %s: {struct}", content))
    assert f".param .align {alignment} .b8 k_param_1[{size}]" in text
    assert len(re.findall(r"ld\.param\S*\s+\S+.*\[k_param_1", text)) == loads


def test_prints_are_calls_of_the_drivers_function(kernel: Kernel, ptx: Ptx) -> None:
    body = f"%v = fly.ptr.load(%p) : ({OUT}) -> i32\n" + '"gpu.printf"(%v) <{format = "%d\\0A"}> : (i32) -> ()'
    assert "vprintf" in ptx(kernel(*stored(body)))


@pytest.mark.parametrize(("operation", "element"), [("addi", "i16"), ("subi", "i16"), ("addi", "i32")])
def test_sums_of_small_integers_are_not_packed(kernel: Kernel, ptx: Ptx, operation: str, element: str) -> None:
    pointer = f"!fly.ptr<{element}, global, align<8>>"
    text = ptx(
        kernel(
            f"%p: {pointer}",
            f"""
            %x = fly.ptr.load(%p) : ({pointer}) -> vector<2x{element}>
            %c = arith.constant dense<1> : vector<2x{element}>
            %y = arith.{operation} %x, %c : vector<2x{element}>
            %v = vector.extract %y[0] : {element} from vector<2x{element}>
            fly.ptr.store(%v, %p) : ({element}, {pointer}) -> ()
            """,
        )
    )
    assert "x2" not in text.replace("v2.b32", "")
    assert re.search(rf"add\.s{element[1:]}\s+\S+, \S+, -?1;", text)


@pytest.mark.parametrize(("type_", "width"), [("f16", 16), ("bf16", 16), ("f64", 64)])
def test_a_nan_that_is_narrowed_has_the_sign_that_was_given(
    kernel: Kernel, lower: Lower, type_: str, width: int
) -> None:
    """The chip's own conversions to f32 lose it."""
    pointer = "!fly.ptr<f8E5M2, global>"
    body = f"""
      %x = fly.ptr.load(%q) : (!fly.ptr<{type_}, global>) -> {type_}
      %v = arith.truncf %x : {type_} to f8E5M2
      fly.ptr.store(%v, %p) : (f8E5M2, {pointer}) -> ()
    """
    text = lower(kernel(f"%p: {pointer}, %q: !fly.ptr<{type_}, global>", body))
    assert re.search(rf'"llvm\.bitcast"\(%\w+\) : \({type_}\) -> i{width}', text)
