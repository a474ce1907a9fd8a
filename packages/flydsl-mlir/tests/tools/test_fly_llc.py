"""`fly-llc` with LLVM: kinds of output, points, passes, and what is wrong with input."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from flydsl.tools.fly_llc import main

KERNEL = """target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr float, ptr addrspace(1) %p, i32 %i
  %x = load float, ptr addrspace(1) %q
  %y = fadd float %x, 1.0
  %z = fadd float %y, 0.0
  store float %z, ptr addrspace(1) %q
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
"""
WITHOUT_TRIPLE = KERNEL.partition("\n")[2]
HOST = "define i32 @two() {\n  %x = add i32 1, 1\n  ret i32 %x\n}\n"


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    file = tmp_path / "kernel.ll"
    file.write_text(KERNEL)
    return file


@pytest.fixture
def bitcode(kernel: Path) -> Path:
    assert main([str(kernel), "-o", str(kernel.with_suffix(".bc"))]) == 0
    return kernel.with_suffix(".bc")


def output(capfdbinary: pytest.CaptureFixture[bytes], *line: object) -> str:
    """What a run prints, which must succeed."""
    capfdbinary.readouterr()
    assert main([str(word) for word in line]) == 0
    return capfdbinary.readouterr().out.decode()


def error(capfd: pytest.CaptureFixture[str], *line: object) -> str:
    """What a run says that fails, and writes nothing."""
    capfd.readouterr()
    assert main([str(word) for word in line]) == 1
    shown = capfd.readouterr()
    assert shown.out == ""
    return shown.err


@pytest.mark.parametrize("form", ["kernel", "bitcode"])
def test_text_and_bitcode_become_assembly(
    form: str, request: pytest.FixtureRequest, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    text = output(capfdbinary, request.getfixturevalue(form), "--mcpu", "gfx942")
    assert '.amdgcn_target "amdgcn-amd-amdhsa--gfx942"' in text
    assert "global_load_dword " in text


def test_the_kinds_of_output(kernel: Path) -> None:
    """By suffix: what each begins with, and whether an ELF file is linked (3) or not (1)."""
    for name, start, more in (
        ("k.s", b"\t.amdgcn_target", []),
        ("k.o", b"\x7fELF", []),
        ("k.hsaco", b"\x7fELF", ["--link"]),
        ("k.bc", b"BC\xc0\xde", []),
        ("k.x", b"\x7fELF", ["--filetype=obj"]),
    ):
        file = kernel.with_name(name)
        assert main([str(kernel), "--mcpu=gfx942", "-o", str(file), *more]) == 0
        content = file.read_bytes()
        assert content.startswith(start)
        if start == b"\x7fELF":
            assert content[16] == (3 if more == ["--link"] else 1)


def test_an_object_holds_the_code_of_the_assembly(kernel: Path, tmp_path: Path) -> None:
    from flydsl.toolchain.native import NativeToolchain
    from flydsl.toolchain.protocol import CodegenTarget

    assert main([str(kernel), "--mcpu", "gfx1100", "--link", "-o", str(tmp_path / "k.co")]) == 0
    target = CodegenTarget("amdgcn-amd-amdhsa", "gfx1100")
    assert "v_add_f32" in NativeToolchain().disassemble((tmp_path / "k.co").read_bytes(), target)


def test_a_code_object_that_lacks_a_function_is_an_error(kernel: Path, capfd: pytest.CaptureFixture[str]) -> None:
    kernel.write_text(
        KERNEL.replace("fadd float %y, 0.0", "call float @__ocml_sin_f32(float %y)")
        + "declare float @__ocml_sin_f32(float)\n"
    )
    shown = error(capfd, kernel, "--mcpu", "gfx942", "--link", "-o", kernel.with_suffix(".hsaco"))
    assert "undefined symbol: __ocml_sin_f32" in shown
    assert not kernel.with_suffix(".hsaco").exists()


def test_streams(kernel: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(KERNEL.encode())))
    assert "s_endpgm" in output(capfdbinary, "-", "--mcpu", "gfx942")
    capfdbinary.readouterr()
    assert main([str(kernel), "--mcpu", "gfx942", "--filetype", "obj"]) == 0
    assert capfdbinary.readouterr().out.startswith(b"\x7fELF")


def test_a_pipeline_runs_before_code_generation(kernel: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert output(capfdbinary, kernel, "--filetype", "llvm").count("fadd") == 2
    assert output(capfdbinary, kernel, "--passes", "instcombine", "--filetype", "llvm").count("fadd") == 1
    slot = (
        "  %s = alloca i32, addrspace(5)\n  store i32 %i, ptr addrspace(5) %s\n  %j = load i32, ptr addrspace(5) %s\n"
    )
    kernel.write_text(KERNEL.replace("  %q =", f"{slot}  %q =").replace("%p, i32 %i", "%p, i32 %j"))
    assert "scratch_load" in output(capfdbinary, kernel, "--mcpu", "gfx942", "-O0")
    assert "scratch_load" not in output(capfdbinary, kernel, "--mcpu", "gfx942", "-O0", "--passes", "sroa")


def test_code_for_this_machine_needs_no_triple(tmp_path: Path) -> None:
    (tmp_path / "two.ll").write_text(HOST)
    assert main([str(tmp_path / "two.ll"), "--link", "-o", str(tmp_path / "two.so")]) == 0
    import ctypes

    assert ctypes.CDLL(str(tmp_path / "two.so")).two() == 2


def test_points_are_listed_in_their_order(kernel: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    listed = output(capfdbinary, "--list-points", kernel, "--mcpu", "gfx1100")
    names = [line.split()[0] for line in listed.splitlines() if line.startswith("  ")]
    order = ["amdgpu-isel", "machine-scheduler", "greedy#1", "prologepilog", "si-insert-waitcnts", "@pre-emit2"]
    assert [name for name in names if name in order] == order
    host = output(capfdbinary, "--list-points", "--mtriple", "x86_64-linux-gnu")
    assert "si-insert-waitcnts" not in host


def test_code_is_shown_between_passes(kernel: Path, capfd: pytest.CaptureFixture[str]) -> None:
    line = [str(kernel), "--mcpu", "gfx942", "-o", os.devnull, "--filetype", "obj"]
    looks = ["--print-before", "amdgpu-isel", "--print-after", "amdgpu-isel", "--print-after", "si-insert-waitcnts"]
    assert main([*line, *looks]) == 0
    ir, selected, waits = re.split(r"^; code at .*\n", capfd.readouterr().err, flags=re.MULTILINE)[1:]
    assert "define amdgpu_kernel void @k" in ir
    assert re.search("V_ADD_F32_e64 .*%", selected)
    assert "S_WAITCNT" not in selected
    assert "S_WAITCNT" in waits
    assert "$vgpr" in waits


def test_looking_at_code_does_not_change_it(kernel: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    plain = output(capfdbinary, kernel, "--mcpu", "gfx942")
    looks = ["--print-before", "machine-scheduler", "--print-after", "pre-ra", "--print-after", "pre-emit2"]
    assert output(capfdbinary, kernel, "--mcpu", "gfx942", *looks) == plain


def test_a_pass_of_llvm_can_be_inserted_once_more(kernel: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    plain = output(capfdbinary, kernel, "--mcpu", "gfx942")
    assert output(capfdbinary, kernel, "--mcpu", "gfx942", "--pass", "machine-cp@pre-sched2") == plain


def test_a_chip_that_no_backend_knows_needs_a_triple(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "k.ll"
    file.write_text(WITHOUT_TRIPLE)
    assert main([str(file), "--mcpu", "gfx803", "--mtriple", "amdgcn-amd-amdhsa", "-o", os.devnull]) == 0
    assert "unknown chip 'gfx803'" in error(capfd, file, "--mcpu", "gfx803")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (["--mcpu", "gfx9942"], "unknown chip 'gfx9942' for triple 'amdgcn-amd-amdhsa'"),
        (["--mcpu", "gfx942", "--mattr", "+nonsense"], r"unknown feature '\+nonsense'"),
        (["--mtriple", "nonsense"], "unknown triple 'nonsense'"),
        (["--mcpu", "gfx942", "--pass", "machine-cp@pre-emot2"], "did you mean 'pre-emit2'"),
        (
            ["--mcpu", "gfx942", "--pass", "machine-pc@pre-emit2"],
            "no machine pass 'machine-pc'.* did you mean 'machine-cp'",
        ),
        (["--mcpu", "gfx942", "--pass", "machine-cp"], "NAME@ALIAS such as NAME@pre-emit, found 'machine-cp'"),
        (["--mcpu", "gfx942", "--print-after", "machine-sched"], "did you mean 'machine-scheduler'"),
        (["--mcpu", "gfx942", "--print-after", "slotindexes"], "--print-after slotindexes: code generation .* no such"),
        (["--passes", "instcombinn"], "pass pipeline is not valid: unknown .*'instcombinn'"),
        (["--load", "/no/such.so", "--passes", "verify"], "/no/such.so.* No such file"),
        (["--load", "/etc/passwd", "--passes", "verify"], "/etc/passwd.* ELF file"),
        (["-o", "/no/such/folder/k.s", "--mcpu", "gfx942"], "cannot write '/no/such/folder/k.s'"),
    ],
)
def test_what_cannot_be_done_is_one_message(
    kernel: Path, line: list[str], message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    shown = error(capfd, kernel, *line)
    assert re.search(message, shown)
    assert shown.startswith("fly-llc: error: ")
    assert "Traceback" not in shown


def test_malformed_ir_shows_its_line_in_the_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "bad.ll"
    file.write_text("define void @f() {\n  rot void\n}\n")
    assert f"{file}:2:3: error: expected instruction opcode" in error(capfd, file)
    file.write_text("define i32 @f() {\n  ret void\n}\n")
    assert f"{file}:2:" in error(capfd, file)
    file.write_bytes(b"BC\xc0\xde" + os.urandom(64))
    assert error(capfd, file).startswith("fly-llc: error: ")


def test_the_program_is_installed_under_its_name() -> None:
    done = subprocess.run([sys.executable, "-m", "flydsl.tools.fly_llc", "--help"], capture_output=True, text=True)
    assert done.returncode == 0
    assert "usage: fly-llc [OPTION ...] [FILE]" in done.stdout
