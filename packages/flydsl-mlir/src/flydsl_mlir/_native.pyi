from collections.abc import Callable, Sequence
from typing import Literal, overload

def run_pipeline(
    text: str,
    pipeline: str,
    *,
    generic: bool = True,
    verify: bool = True,
    locations: bool = False,
    allow_unregistered: bool = False,
    dump: Callable[[str, str], object] | None = None,
) -> str: ...
def gpu_objects(text: str, pipeline: str, *, verify: bool = True) -> list[tuple[str, str, str, bytes]]: ...
@overload
def emit_llvm_ir(text: str, *, bitcode: Literal[False] = False) -> str: ...
@overload
def emit_llvm_ir(text: str, *, bitcode: Literal[True]) -> bytes: ...
def emit_host_object(
    text: str,
    *,
    pipeline: str = "",
    triple: str = "",
    chip: str = "",
    features: str = "",
    opt_level: int = 2,
    assembly: bool = False,
) -> bytes: ...
def codegen(
    ir: bytes,
    *,
    triple: str,
    chip: str = "",
    features: str = "",
    opt_level: int = 2,
    assembly: bool = False,
    optimize: bool = False,
) -> bytes: ...
def run_ir_passes(
    ir: bytes,
    pipeline: str,
    *,
    plugins: Sequence[str] = (),
    triple: str,
    chip: str = "",
    features: str = "",
    opt_level: int = 2,
) -> bytes: ...
def llvm_text(ir: bytes) -> str: ...
def codegen_with_passes(
    ir: bytes,
    passes: Sequence[tuple[str, str, str, int]],
    *,
    plugins: Sequence[str] = (),
    triple: str,
    chip: str = "",
    features: str = "",
    opt_level: int = 2,
    assembly: bool = False,
    optimize: bool = False,
    dump: Callable[[str, str], object] | None = None,
) -> bytes: ...
def codegen_points(
    *, triple: str, chip: str = "", features: str = "", opt_level: int = 2
) -> list[tuple[str, int, str, bool, bool, list[str]]]: ...
def plugin_passes(path: str) -> list[str]: ...
def link(objects: Sequence[bytes], *, args: Sequence[str] = (), shared: bool = True) -> bytes: ...
def disassemble(
    object: bytes, *, triple: str, chip: str = "", features: str = ""
) -> list[tuple[str, int, bytes, str, str]]: ...
def host_cpu() -> tuple[str, str, str]: ...
def llvm_version() -> str: ...
