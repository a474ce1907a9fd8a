"""Calls of the kernels that torch carries, each with a check against float64: what `flydsl try --of torch` runs.

A function for each file, of its name, as `flydsl try --calls` takes them. Shapes are small, and odd where they may be.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import torch

Call = tuple[Callable[[], None], Callable[[], None]]
Calls = dict[str, Call]
Kernel = Callable[..., object]
_ARCH = "gfx950"
_DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
_TOLERANCES = {torch.float32: 1e-5, torch.float16: 2e-3, torch.bfloat16: 2e-2}
_HALVES = {"tile_m": 256, "tile_n": 256, "n_waves": 4, "use_half_tile_interleaved": True}
_TILE = {"tile_m": 64, "tile_n": 64, "tile_k": 64, "stages": 2, "m_waves": 2, "n_waves": 2}


def flydsl_rmsnorm_fwd(module: ModuleType) -> Calls:
    """Rows of whole vectors, and with a rest."""
    shapes = ((3, 4096), (2, 8024), (2, 4099))
    return {f"{name} {m} x {n}": _rms_norm(module, name, m, n) for name in _DTYPES for m, n in shapes}


def flydsl_kernels(module: ModuleType) -> Calls:
    """Top-k in registers, and by digits in either order of ties."""

    def in_registers(n: int, k: int) -> Call:
        return _top_k(lambda: module._build_register_topk_module(n, k, _ARCH), 5, n, k)

    def by_digits(is_ordered: bool) -> Call:
        return _top_k(lambda: module._build_radix_select_topk_module(8192, 64, is_ordered, _ARCH), 2, 8192, 64)

    found = {f"{k} of {n}": in_registers(n, k) for n, k in ((1024, 2), (2048, 16))}
    return found | {f"64 of 8192, ordered {is_ordered}": by_digits(is_ordered) for is_ordered in (False, True)}


def gemm_gfx950(module: ModuleType) -> Calls:
    """Products of each order of the operands, with borders, in three stages, and of tiles in interleaved halves."""
    return {
        "bf16 tn 80 x 72 x 160": _gemm(module, "bf16", 80, 72, 160, b_is_transposed=True),
        "f16 nn 64 x 128 x 128": _gemm(module, "f16", 64, 128, 128, b_is_transposed=False),
        "f16 nt 64 x 64 x 64": _gemm(module, "f16", 64, 64, 64, a_is_transposed=True, b_is_transposed=True),
        "bf16 three stages": _gemm(module, "bf16", 64, 64, 256, b_is_transposed=True, stages=3),
        "bf16 halves": _gemm(module, "bf16", 256, 256, 128, b_is_transposed=True, **_HALVES),
    }


def grouped_gemm_gfx950(module: ModuleType) -> Calls:
    """Groups of other sizes, one of them empty."""
    from torch._inductor.kernel.vendored_templates.flydsl.kernels import gemm_gfx950 as gemm  # type: ignore[import-not-found, unused-ignore]  # fmt: skip

    return {"bf16": _grouped_gemm(module, gemm, (40, 0, 100, 4), 128, 128)}


def _seeded(dtype: torch.dtype, *shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape))).to(dtype)


def _rms_norm(module: ModuleType, name: str, rows: int, n: int) -> Call:
    dtype, eps = _DTYPES[name], 1e-5
    x, weight = _seeded(dtype, rows, n), _seeded(dtype, n)
    y, rstd = torch.full_like(x, torch.nan), torch.full((rows,), torch.nan)

    def run() -> None:
        module._build_rmsnorm_module(n, name, _ARCH)(x, weight, y, rstd, rows, eps)

    def check() -> None:
        wide, limit = x.double(), _TOLERANCES[dtype]
        expected = (wide.square().mean(-1) + eps).rsqrt()
        torch.testing.assert_close(rstd.double(), expected, rtol=1e-5, atol=0)
        torch.testing.assert_close(y.double(), wide * expected[:, None] * weight.double(), rtol=limit, atol=limit)

    return run, check


def _top_k(build: Callable[[], Kernel], rows: int, n: int, k: int) -> Call:
    x = _seeded(torch.float32, rows, n)
    values, indices = torch.full((rows, k), torch.nan), torch.full((rows, k), -1)

    def run() -> None:
        build()(x, values, indices, rows)

    def check() -> None:
        torch.testing.assert_close(values, torch.topk(x, k).values, rtol=0, atol=0)
        torch.testing.assert_close(torch.gather(x, 1, indices), values, rtol=0, atol=0)

    return run, check


def _gemm(module: ModuleType, name: str, m: int, n: int, k: int, **options: int) -> Call:
    dtype = _DTYPES[name]
    a = _seeded(dtype, k, m).t() if options.get("a_is_transposed") else _seeded(dtype, m, k)
    b = _seeded(dtype, n, k).t() if options["b_is_transposed"] else _seeded(dtype, k, n)
    out, param = torch.full((m, n), torch.nan, dtype=dtype), _parameters(module, dtype, m, n, k, **options)

    def run() -> None:
        module.gemm_gfx950(out, a, b, param)

    def check() -> None:
        torch.testing.assert_close(out.double(), a.double() @ b.double(), rtol=2e-2, atol=2e-2 * k**0.5)

    return run, check


def _grouped_gemm(module: ModuleType, gemm: ModuleType, groups: tuple[int, ...], n: int, k: int) -> Call:
    dtype, total = torch.bfloat16, sum(groups)
    ends = torch.tensor(groups, dtype=torch.int32).cumsum(0).to(torch.int32)
    a, b = _seeded(dtype, total, k), _seeded(dtype, len(groups), k, n)
    out, param = torch.full((total, n), torch.nan, dtype=dtype), _parameters(gemm, dtype, total, n, k)

    def run() -> None:
        module.launch_gemm_gfx950_grouped(out, a, b, ends, len(groups), n, k, 3, param)

    def check() -> None:
        starts = [0, *ends.tolist()]
        products = [a[starts[g] : starts[g + 1]].double() @ own.double() for g, own in enumerate(b)]
        torch.testing.assert_close(out.double(), torch.cat(products), rtol=2e-2, atol=2e-2 * k**0.5)

    return run, check


def _parameters(gemm: ModuleType, dtype: torch.dtype, m: int, n: int, k: int, **options: int) -> object:
    given = {**_TILE, "b_is_transposed": False, **options}
    kind = gemm.GEMM_DTYPE_BF16 if dtype is torch.bfloat16 else gemm.GEMM_DTYPE_FP16
    tail = gemm.infer_has_k_tail(k, given["tile_k"], given["stages"])
    found = gemm.make_gemm_param_and_validate(m, n, k, {"dtype_id": kind, "has_k_tail": tail, **given})
    if found is None:
        raise ValueError(f"torch's product takes no {m} x {n} x {k} with {given}")
    return found
