"""The conformance suite on simulated AMD GPUs: code of the backend `rocm` runs and is compared with NumPy."""

from flydsl.testing.suite import conformance

TestHipsim = conformance(
    "flydsl_hipsim.plugin",
    beside=["flydsl_rocm.plugin"],
    backend="rocm",
    targets=("gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250", "gfx1100:wavefrontsize64+"),
    fixtures=["hipsim"],
)
