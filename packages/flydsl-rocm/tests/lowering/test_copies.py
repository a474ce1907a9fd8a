"""Buffer and LDS copies become their instructions."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from flydsl.base.errors import IRError

Kernel = Callable[..., str]
Lower = Callable[[str], str]
Assemble = Callable[..., str]

BUFFER = "!fly.ptr<f32, #fly_rocdl.buffer_desc>"
MAKE_BUFFER = f"""
  %stride = arith.constant 0 : i16
  %size = arith.constant 4294967295 : i64
  %flags = arith.constant 159744 : i32
  %buffer = fly.make_ptr(%p, %stride, %size, %flags) : (!fly.ptr<f32, global>, i16, i64, i32) -> {BUFFER}
  %tx = "gpu.thread_id"() <{{dimension = #gpu<dim x>}}> : () -> index
  %t = arith.index_cast %tx : index to i32
  %o = fly.make_int_tuple(%t) : (i32) -> !fly.int_tuple<?>
  %at = fly.add_offset(%buffer, %o) : ({BUFFER}, !fly.int_tuple<?>) -> {BUFFER}
"""


def view(count: int, name: str = "view", pointer: str = "%at", type_: str = BUFFER) -> tuple[str, str]:
    """A tensor of `count` elements at a pointer, and its type."""
    memory = type_.replace("!fly.ptr<f32, ", "!fly.memref<f32, ").replace(">", f", {count}:1>", 1)
    layout = f"!fly.layout<{count}:1>"
    text = f"%{name}_l = fly.static : {layout}\n"
    text += f"%{name} = fly.make_view({pointer}, %{name}_l) : ({type_}, {layout}) -> {memory}\n"
    return text, memory


def copy(atom: str, operands: str, types: str, sizes: str, result: str = "()", state: str = "") -> str:
    atom = f"!fly.copy_atom<{atom}, 32>"
    name = "%v = " if result != "()" else ""
    used = "%set" if state else "%atom"
    return (
        f"%atom = fly.make_copy_atom {{valBits = 32 : i32}} : {atom}\n"
        + state.replace("ATOM", atom)
        + f'{name}"fly.copy_atom_call_ssa"({used}, {operands}) {{operandSegmentSizes = array<i32: {sizes}>}} '
        + f": ({atom}, {types}) -> {result}\n"
    )


WIDTHS = {
    32: ("f32", "dword"),
    64: ("vector<2xf32>", "dwordx2"),
    96: ("vector<3xf32>", "dwordx3"),
    128: ("vector<4xf32>", "dwordx4"),
}


@pytest.mark.parametrize("bits", WIDTHS)
def test_buffer_copy_loads_and_stores(bits: int, kernel: Kernel, assemble: Assemble) -> None:
    value, word = WIDTHS[bits]
    atom = f"!fly_rocdl.cdna3.buffer_copy<{bits}>"
    text, memory = view(bits // 32)
    load = copy(atom, "%view", memory, "1, 1, 0, 0", value)
    store = copy(atom, "%v, %view", f"{value}, {memory}", "1, 1, 1, 0").replace("%atom", "%atom2")
    out = assemble(kernel("%p: !fly.ptr<f32, global>", MAKE_BUFFER + text + load + store))
    assert f"buffer_load_{word} " in out
    assert f"buffer_store_{word} " in out
    assert "global_" not in out


def test_buffer_copy_scales_its_offset_to_bytes_and_passes_the_cache_modifier(
    kernel: Kernel, assemble: Assemble
) -> None:
    text, memory = view(4)
    state = '%set = fly.atom.set_value(%atom, %n) {field = "soffset"} : (ATOM, i32) -> ATOM\n'
    load = copy("!fly_rocdl.cdna3.buffer_copy<128, cache = 2>", "%view", memory, "1, 1, 0, 0", "vector<4xf32>", state)
    store = "fly.ptr.store(%v, %q) : (vector<4xf32>, !fly.ptr<f32, global>) -> ()\n"
    body = kernel("%p: !fly.ptr<f32, global>, %q: !fly.ptr<f32, global>, %n: i32", MAKE_BUFFER + text + load + store)
    out = assemble(body)
    assert " nt" in next(line for line in out.splitlines() if "buffer_load" in line)
    assert "s_lshl_b32" in out


LDS_STATE = """
  %twelve = arith.constant 12 : i32
  %first = fly.atom.set_value(%atom, %twelve) {field = "imm_offset"} : (ATOM, i32) -> ATOM
  %set = fly.atom.set_value(%first, %n) {field = "soffset"} : (ATOM, i32) -> ATOM
"""


def test_the_immediate_offset_of_a_copy_to_lds_is_in_bytes(kernel: Kernel, assemble: Assemble) -> None:
    source, source_type = view(1)
    target, target_type = lds(1)
    body = MAKE_BUFFER + source + target
    types = f"{source_type}, {target_type}"
    body += copy("!fly_rocdl.cdna3.buffer_copy_lds<128>", "%view, %tile", types, "1, 1, 1, 0", state=LDS_STATE)
    text = kernel("%p: !fly.ptr<f32, global>, %n: i32", body)
    line = next(line for line in assemble(text, "gfx950").splitlines() if "buffer_load" in line)
    assert "offset:12 lds" in line
    assert "buffer_load_dwordx4" in line  # though the tensors have one element: the atom has the width


def test_an_immediate_that_the_instruction_has_no_bits_for_is_refused(kernel: Kernel, lower: Lower) -> None:
    source, source_type = view(1)
    target, target_type = lds(1)
    state = LDS_STATE.replace("constant 12", "constant 4096")
    body = MAKE_BUFFER + source + target
    types = f"{source_type}, {target_type}"
    body += copy("!fly_rocdl.cdna3.buffer_copy_lds<32>", "%view, %tile", types, "1, 1, 1, 0", state=state)
    with pytest.raises(IRError, match="imm_offset of .* is 0 to 4095 bytes, found 4096; use soffset"):
        lower(kernel("%p: !fly.ptr<f32, global>, %n: i32", body))


@pytest.mark.parametrize("bits", [64, 96])
def test_copies_to_lds_have_no_64_or_96_bits(bits: int, kernel: Kernel, lower: Lower) -> None:
    target, _ = lds(1)
    text = (
        f"%a = fly.make_copy_atom {{valBits = 32 : i32}} : !fly.copy_atom<!fly_rocdl.cdna3.buffer_copy_lds<{bits}>, 32>"
    )
    with pytest.raises(IRError, match=f"buffer_copy_lds moves 32, 128 bits, found {bits}"):
        lower(kernel("%p: !fly.ptr<f32, global>", target + text + "\n"))


def test_a_swizzled_buffer_exchanges_bits_of_the_byte_offset(kernel: Kernel, lower: Lower, assemble: Assemble) -> None:
    swizzled = BUFFER.replace(">", ", S<2,4,3>>")
    body = MAKE_BUFFER + (
        "%s = fly.static : !fly.swizzle<S<2,4,3>>\n"
        f"%w = fly.apply_swizzle(%at, %s) : ({BUFFER}, !fly.swizzle<S<2,4,3>>) -> {swizzled}\n"
        f"%v = fly.ptr.load(%w) : ({swizzled}) -> vector<4xf32>\n"
        "fly.ptr.store(%v, %p) : (vector<4xf32>, !fly.ptr<f32, global>) -> ()\n"
    )
    text = kernel("%p: !fly.ptr<f32, global>", body)
    assert "buffer_load_dwordx4" in assemble(text)
    lowered = lower(text)
    assert "384 : i32" in lowered  # bits 7 and 8
    assert "llvm.ptrtoint" not in lowered
    with pytest.raises(IRError, match="an access of 32 bytes through swizzle .* crosses its granule of 16"):
        lower(text.replace("vector<4xf32>", "vector<8xf32>"))


def test_predicated_buffer_copy_branches(kernel: Kernel, assemble: Assemble) -> None:
    text, memory = view(1)
    body = (
        MAKE_BUFFER
        + text
        + "%zero = arith.constant 0.0 : f32\n%c = arith.cmpi slt, %t, %n : i32\n"
        + copy("!fly_rocdl.cdna3.buffer_copy<32>", "%view, %zero, %c", f"{memory}, f32, i1", "1, 1, 1, 1", "f32")
        + "fly.ptr.store(%v, %p) : (f32, !fly.ptr<f32, global>) -> ()\n"
    )
    out = assemble(kernel("%p: !fly.ptr<f32, global>, %n: i32", body))
    assert out.index("s_and_saveexec") < out.index("buffer_load_dword")


def test_universal_copy_works_on_buffer_memory(kernel: Kernel, assemble: Assemble) -> None:
    text, memory = view(4)
    body = MAKE_BUFFER + text + copy("!fly.universal_copy<128>", "%view", memory, "1, 1, 0, 0", "vector<4xf32>")
    body += "fly.ptr.store(%v, %p) : (vector<4xf32>, !fly.ptr<f32, global>) -> ()\n"
    assert "buffer_load_dwordx4" in assemble(kernel("%p: !fly.ptr<f32, global>", body))


SHARED = "!fly.ptr<f32, shared, align<16>>"


def lds(count: int) -> tuple[str, str]:
    make = f"%lds = fly.make_ptr() {{dictAttrs = {{allocSize = 1024 : i64}}}} : () -> {SHARED}\n"
    layout = f"!fly.layout<{count}:1>"
    memory = f"!fly.memref<f32, shared, {count}:1, align<16>>"
    return (
        make + f"%tl = fly.static : {layout}\n%tile = fly.make_view(%lds, %tl) : ({SHARED}, {layout}) -> {memory}\n",
        memory,
    )


@pytest.mark.parametrize(
    ("atom", "bits", "chip"),
    [
        ("cdna3.buffer_copy_lds", 32, "gfx942"),
        ("cdna3.buffer_copy_lds", 128, "gfx950"),
        ("cdna4.buffer_load_async_lds", 128, "gfx950"),
    ],
)
def test_buffer_to_lds_copies_past_the_registers(
    atom: str, bits: int, chip: str, kernel: Kernel, assemble: Assemble
) -> None:
    source, source_type = view(bits // 32)
    target, target_type = lds(bits // 32)
    body = MAKE_BUFFER + source + target
    body += copy(f"!fly_rocdl.{atom}<{bits}>", "%view, %tile", f"{source_type}, {target_type}", "1, 1, 1, 0")
    line = next(x for x in assemble(kernel("%p: !fly.ptr<f32, global>", body), chip).splitlines() if "buffer_load" in x)
    assert " lds" in line
    assert ("dwordx4" in line) == (bits == 128)


def test_global_to_lds_copy(kernel: Kernel, assemble: Assemble) -> None:
    source, source_type = view(4, pointer="%p", type_="!fly.ptr<f32, global>")
    target, target_type = lds(4)
    body = source + target
    body += copy(
        "!fly_rocdl.cdna4.global_load_async_lds<128>", "%view, %tile", f"{source_type}, {target_type}", "1, 1, 1, 0"
    )
    assert "global_load_lds_dwordx4" in assemble(kernel("%p: !fly.ptr<f32, global>", body), "gfx950")


@pytest.mark.parametrize(
    ("op", "element", "instruction"),
    [
        ("add", "f32", "buffer_atomic_add_f32"),
        ("add", "i32", "buffer_atomic_add"),
        ("max", "i32", "buffer_atomic_smax"),
    ],
)
def test_buffer_atomic(op: str, element: str, instruction: str, kernel: Kernel, assemble: Assemble) -> None:
    buffer = MAKE_BUFFER.replace("f32", element)
    memory = f"!fly.memref<{element}, #fly_rocdl.buffer_desc, 1:0>"
    body = buffer + (
        "%l = fly.static : !fly.layout<1:0>\n"
        f"%view = fly.make_view(%at, %l) : ({BUFFER.replace('f32', element)}, !fly.layout<1:0>) -> {memory}\n"
    )
    body += copy(f"!fly_rocdl.cdna3.buffer_atomic<{op}, {element}>", "%x, %view", f"{element}, {memory}", "1, 1, 1, 0")
    out = assemble(kernel(f"%p: !fly.ptr<{element}, global>, %x: {element}", body))
    assert f"{instruction} " in out


@pytest.mark.parametrize(
    ("granularity", "bits", "value"), [(16, 64, "vector<4xf16>"), (8, 64, "vector<8xi8>"), (4, 64, "vector<16xi4>")]
)
def test_transposing_lds_read(granularity: int, bits: int, value: str, kernel: Kernel, assemble: Assemble) -> None:
    element = value.rpartition("x")[2].rstrip(">")
    count = bits // granularity
    shared = f"!fly.ptr<{element}, shared, align<16>>"
    memory = f"!fly.memref<{element}, shared, {count}:1, align<16>>"
    atom = f"!fly.copy_atom<!fly_rocdl.cdna4.lds_read_trans<trans = {granularity}b, {bits}>, {granularity}>"
    body = f"""
      %lds = fly.make_ptr() {{dictAttrs = {{allocSize = 4096 : i64}}}} : () -> {shared}
      %l = fly.static : !fly.layout<{count}:1>
      %tile = fly.make_view(%lds, %l) : ({shared}, !fly.layout<{count}:1>) -> {memory}
      %atom = fly.make_copy_atom {{valBits = {granularity} : i32}} : {atom}
      %v = "fly.copy_atom_call_ssa"(%atom, %tile) {{operandSegmentSizes = array<i32: 1, 1, 0, 0>}}
        : ({atom}, {memory}) -> {value}
      fly.ptr.store(%v, %p) : ({value}, !fly.ptr<{element}, global, align<8>>) -> ()
    """
    out = assemble(kernel(f"%p: !fly.ptr<{element}, global, align<8>>", body), "gfx950")
    assert f"ds_read_b64_tr_b{granularity}" in out


def test_buffer_pointer_has_no_address(kernel: Kernel, lower: Lower) -> None:
    body = MAKE_BUFFER + f"%n = fly.ptrtoint(%at) : ({BUFFER}) -> i64\n"
    body += "fly.ptr.store(%n, %q) : (i64, !fly.ptr<i64, global>) -> ()\n"
    with pytest.raises(IRError, match="no address"):
        lower(kernel("%p: !fly.ptr<f32, global>, %q: !fly.ptr<i64, global>", body))


def test_buffer_resource_can_be_taken_out(kernel: Kernel, lower: Lower) -> None:
    body = (
        MAKE_BUFFER
        + f"""
      %r = fly_rocdl.get_buffer_rsrc(%at) : ({BUFFER}) -> !llvm.ptr<8>
      "llvm.store"(%r, %q) : (!llvm.ptr<8>, !llvm.ptr) -> ()
    """
    )
    assert '"rocdl.make.buffer.rsrc"' in lower(kernel("%p: !fly.ptr<f32, global>, %q: !llvm.ptr", body))
