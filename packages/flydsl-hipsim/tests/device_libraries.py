"""Sources of HIP, OpenCL and C in, code objects out that are linked with ROCm's device libraries."""

from __future__ import annotations

import subprocess
from pathlib import Path

BITCODE = Path("/usr/lib/x86_64-linux-gnu/amdgcn/bitcode")
"""Of Debian's rocm-device-libs, which CI installs."""
_TARGET = ["-target", "amdgcn-amd-amdhsa", "-nogpulib", "-O2", "-w"]
_VERSIONS = {"gfx942": 9402, "gfx1100": 11000, "gfx1201": 12001}


def link_flags(chip: str, folder: Path, libraries: tuple[str, ...] = ("ocml", "ockl")) -> list[str]:
    """For clang: the libraries, and the constants by which they are told of the chip."""
    controls = {
        **{"ISA_version": f"i32 {_VERSIONS[chip]}", "ABI_version": "i32 500"},
        **{"wavefrontsize64": f"i8 {int(chip.startswith('gfx9'))}", "correctly_rounded_sqrt32": "i8 1"},
        **dict.fromkeys(("daz_opt", "finite_only_opt", "unsafe_math_opt"), "i8 0"),
    }
    lines = (f"@__oclc_{name} = linkonce_odr protected addrspace(4) constant {v}" for name, v in controls.items())
    source, compiled = folder / f"{chip}.ll", folder / f"{chip}.bc"
    source.write_text('target triple = "amdgcn-amd-amdhsa"\n' + "\n".join(lines) + "\n")
    subprocess.run(["llvm-as-22", str(source), "-o", str(compiled)], check=True)
    files = [*(BITCODE / f"{name}.bc" for name in libraries), compiled]
    return [word for file in files for word in ("-Xclang", "-mlink-builtin-bitcode", "-Xclang", str(file))]


def compile_hip(text: str, chip: str, folder: Path, *, printf: str = "hostcall") -> bytes:
    """A kernel is `GLOBAL name(...)`; `printf` is `hostcall` or `buffered`."""
    source, made = folder / f"{printf}.hip", folder / f"{printf}.{chip}.o"
    source.write_text(
        '#define DEVICE extern "C" __attribute__((device))\n'
        '#define GLOBAL extern "C" __attribute__((global)) void\n'
        "#define THREAD (__builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() "
        "+ __builtin_amdgcn_workitem_id_x())\n"
        f"DEVICE int printf(const char *, ...);\n{text}\n"
    )
    command = ["clang-22", "-x", "hip", "-std=c++17", f"--offload-arch={chip}", "--cuda-device-only", "-nogpulib"]
    command += ["-nogpuinc", "--no-gpu-bundle-output", "-O2", "-w", f"-mprintf-kind={printf}"]
    flags = link_flags(chip, folder, ("opencl", "ockl"))
    subprocess.run([*command, *flags, str(source), "-o", str(made)], check=True, capture_output=True)
    return made.read_bytes()


def compile_opencl(text: str, chip: str, folder: Path) -> bytes:
    """Its printf is replaced before the libraries are linked."""
    source, bitcode, made = folder / "source.cl", folder / "source.bc", folder / f"opencl.{chip}.o"
    source.write_text(text)
    command = ["clang-22", *_TARGET, f"-mcpu={chip}"]
    first = ["-x", "cl", "-cl-std=CL2.0", "-c", "-emit-llvm", str(source), "-o", str(bitcode)]
    subprocess.run([*command, *first], check=True)
    flags = link_flags(chip, folder, ("opencl",))
    subprocess.run([*command, "-x", "ir", *flags, str(bitcode), "-o", str(made)], check=True, capture_output=True)
    return made.read_bytes()
