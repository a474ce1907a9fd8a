"""The conformance suite on simulated AMD GPUs: code of the backend `rocm` runs and is compared with NumPy."""

from flydsl.testing.suite import conformance

TestHipsim = conformance("flydsl_hipsim.plugin", beside=["flydsl_rocm.plugin"], backend="rocm", targets=("gfx942",))
