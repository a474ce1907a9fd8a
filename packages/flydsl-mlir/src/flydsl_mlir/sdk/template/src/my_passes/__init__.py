"""LLVM passes for FlyDSL kernels."""

from pathlib import Path

PLUGIN = str(Path(__file__).with_name("my_passes.so"))
"""The file to name in `llvm_pass_plugins` and `llvm_codegen_plugins`."""
