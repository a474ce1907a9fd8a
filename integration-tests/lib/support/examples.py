"""The name of an example in, its module out, imported as a user of its folder would."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).resolve().parents[3] / "examples"
EXAMPLES = sorted(path.stem for path in FOLDER.glob("[0-9][0-9]_*.py"))
"""Those that run as programs; other files of the folder are imported by them."""
ROCM_EXAMPLES = sorted(path.stem for path in FOLDER.glob("rocm_[0-9][0-9]_*.py"))
"""Those for AMD GPUs alone."""
JAX_EXAMPLES = sorted(path.stem for path in FOLDER.glob("jax_*.py"))
"""Those that need JAX."""

SIZES: dict[str, tuple[tuple[object, ...], ...]] = {
    "01_vector_add": ((1, 1), (8, 64), (77, 333)),
    "02_tiled_copy": ((1, 1), (16, 32), (45, 99)),
    "03_tiled_mma": ((1, 1, 1), (32, 16, 4), (53, 37, 71)),
    "05_gather_scatter": ((1, 1, 1), (131, 3, 257)),
    "06_shared_memory_transpose": ((1, 1), (32, 32), (77, 133)),
    "07_block_reduction": ((1, 1), (5, 256), (7, 999)),
    "08_scan": ((1, 1), (5, 512), (7, 999)),
    "09_softmax": ((1, 1), (3, 2), (5, 1023), (3, 1024), (7, 4099)),
    "10_rmsnorm": ((1, 1), (3, 2), (5, 1023), (3, 1024), (7, 4099), (5, 1027, "float16")),
    "11_layernorm": ((1, 3), (5, 1023), (3, 1024), (7, 4099)),
    "12_tiled_gemm": ((1, 1, 1), (64, 64, 16), (65, 63, 17), (129, 7, 255)),
    "13_attention": ((1, 1, 1), (2, 37, 21, True), (1, 33, 16)),
    "14_streaming": ((1,), (255, "float16"), (513, "int32")),
    "15_rows_in_registers": (
        (1, 1, 32),
        (5, 63, 32),
        (3, 264, 64, 4, 0, "float16"),
        (2, 2056, 64, 2, 2),
        (2, 4096, 128, 0, 8, "float16"),
        (2, 2056, 64, 2, 4, "float32", True),
        (2, 4096, 128, 0, 8, "float16", True),
        (1, 4104, 0, 0, 0, "float16", True),
        (2, 20001),
        (1, 70000, 0, 0, 0, "float16"),
        (2, 8184, 0, 0, 0, "float16"),
        (1, 16392, 0, 0, 0, "float16"),
    ),
    "16_wide_transpose": ((1, 1), (16, 16), (17, 33)),
    "17_running_sum": ((1,), (1023,), (1024,), (5003,)),
    "18_histogram": ((1,), (1024,), (9001,)),
}
"""Arguments of an example's `check`: borders of tiles, one beside them, odd."""


def load_example(name: str) -> ModuleType:
    """The module of an example; the folder is on the path while it and what it imports are loaded."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look for the names of annotations
    sys.path.insert(0, str(FOLDER))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(FOLDER))
    return module
