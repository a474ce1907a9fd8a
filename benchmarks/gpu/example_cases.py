"""What `run_examples.py` checks: examples, those of their functions that launch, and sizes."""

from __future__ import annotations

from typing import Any, TypeAlias

__all__ = ["kernels_for"]

Cases: TypeAlias = dict[str, tuple[tuple[str, ...], tuple[tuple[Any, ...], ...]]]
"""By example: functions, and arguments of its `check`."""
KERNELS: Cases = {
    "01_vector_add": (("vector_add",), ((1, 1), (77, 333), (4096, 4099))),
    "02_tiled_copy": (("transpose",), ((1, 1), (45, 99), (2049, 1025))),
    "03_tiled_mma": (("matmul",), ((1, 1, 1), (53, 37, 71), (515, 513, 517))),
    "05_gather_scatter": (("move_rows",), ((1, 1, 1), (131, 3, 257), (5001, 129, 4001))),
    "06_shared_memory_transpose": (("transpose",), ((1, 1), (77, 133), (2049, 1025))),
    "07_block_reduction": (("reduce_rows",), ((1, 1), (7, 999), (1001, 4099))),
    "08_scan": (("scan_rows",), ((1, 1), (7, 999), (1001, 4099))),
    "09_softmax": (("softmax",), ((1, 1), (5, 1023), (1001, 4099))),
    "10_rmsnorm": (("rmsnorm",), ((1, 1), (5, 1023), (1001, 4099), (5, 1027, "float16"))),
    "11_layernorm": (("layernorm",), ((1, 3), (5, 1023), (1001, 4099))),
    "12_tiled_gemm": (("gemm",), ((1, 1, 1), (65, 63, 17), (515, 513, 517))),
    "13_attention": (("attention",), ((1, 1, 1), (2, 37, 21, True), (4, 513, 33))),
}
"""The functions of an example that launch, and arguments of its `check`: the smallest, odd ones, large ones."""
WITH_COPY_ENGINE: Cases = {
    "cuda_01_tma": (("transpose", "add_to", "spread"), ((1, 1), (45, 99), (77, 333), (2049, 1025))),
}
"""The same, of examples for sm_90 and newer chips."""
WITH_WARP_GROUPS: Cases = {
    "cuda_02_gemm": (
        ("gemm",),
        (
            (1, 1, 1),
            (77, 333, 45),
            (129, 257, 65, "a", 128),
            (333, 77, 100, "b", 64),
            (260, 515, 71, "ab"),
            (1001, 775, 4099),
            (333, 517, 259, "", 256, 4, "bias_gelu_residual"),
            (333, 517, 259, "", 128, 4, "bias_gelu_residual"),
            (129, 77, 71, "ab", 64, 2, "bias_gelu_residual"),
            (259, 333, 1001, "", 256, 3, "bias_silu"),
            (333, 517, 77, "b", 128, 132, "bias_relu"),
            (333, 517, 77, "a", 256, 132, "lower"),
        ),
    ),
    "cuda_03_attention": (
        ("attention",),
        (
            (1, 1, 1, 1, False),
            (3, 1, 129, 257, False),
            (4, 2, 333, 517, False),
            (2, 2, 333, 333, True),
            *((4, 2, 515, 333, causal, depth) for causal in (False, True) for depth in (64, 96, 256)),
            *((6, 3, 333, keys, False, depth, 4) for depth in (96, 128) for keys in (77, 515)),  # blocks stay
            *((2, 1, queries, 333, False, 64, 2) for queries in (250, 333)),  # some blocks are short
        ),
    ),
    "cuda_05_decode": (
        ("paged_decode",),
        (
            ((1, 0), (1, 1)),
            ((129, 1, 777), (8, 2)),
            ((65, 1000), (6, 2), 3, 128, 16),
            ((777, 1300), (4, 2), 1, 128, 64, 512),
            ((515, 66, 131), (16, 1), 1, 64, 256, 192),
        ),
    ),
    "cuda_06_attention_backward": (
        ("attention_backward",),
        (
            (1, 1, 1, 2, False),
            (3, 1, 129, 257, False),
            (2, 2, 333, 333, True),
            (4, 2, 333, 517, False),
            (2, 1, 130, 515, True),
            (2, 1, 515, 130, True),
            (4, 2, 515, 333, True, 128, True),
            *((4, 2, 333, 515, causal, 64, causal) for causal in (False, True)),
        ),
    ),
    "cuda_04_split_gemm": (
        ("split_gemm",),
        (
            (1, 1, 1, (64, 16, 2)),
            (17, 333, 77, (64, 64, 8)),
            (129, 259, 4099, (128, 128, 2)),
            (333, 77, 1001, (128, 128, 8), "a"),
            (77, 515, 2049, (128, 64, 4), "b"),
            (131, 133, 513, (64, 128, 4), "ab"),
            (19, 333, 1025, (64, 16, 4), "a"),
            (333, 517, 1025, (64, 128, 1, 2)),
            (333, 515, 259, (64, 128, 1, 2), "ab"),
            (129, 259, 77, (128, 64, 1)),
            *((200, 515, k, (n, 128, 1)) for n, k in ((128, 259), (256, 1025))),
            *((m, 515, 1025, (n, r, 1, 2, "b"), t) for m, n, r in ((65, 128, 64), (200, 64, 128)) for t in ("", "ab")),
            *((77, 333, 2051, (n, m, split)) for n in (64, 128) for m in (16, 64, 128) for split in (2, 4, 8)),
        ),
    ),
    "cuda_09_grouped_gemm": (
        ("grouped_gemm",),
        (
            (1, 1, 1, 1),
            (3, 333, 77, 45),
            (7, 1001, 515, 259, 128),
            (40, 999, 333, 71, 64, 5),
            (300, 3001, 259, 133),
            *((9, 2001, 515, 133, columns, 16) for columns in (256, 128)),
            *(
                (groups, 2001, 515, 133, 256, blocks, cut)
                for groups in (2, 70)
                for blocks in (16, 19)
                for cut in (2, 4)
            ),
        ),
    ),
}
"""The same, of examples for sm_90a."""


def kernels_for(arch: str) -> Cases:
    """The examples that a chip such as sm_90a has the instructions for."""
    capability = int(arch.removeprefix("sm_").rstrip("af"))
    found = {**KERNELS, **(WITH_COPY_ENGINE if capability >= 90 else {})}
    return {**found, **(WITH_WARP_GROUPS if arch == "sm_90a" else {})}
