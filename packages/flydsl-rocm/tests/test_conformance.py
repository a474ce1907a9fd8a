"""The conformance suite on AMD GPUs: without one, kernels are compiled and not launched."""

from flydsl.testing.suite import conformance

TestRocm = conformance("flydsl_rocm.plugin", targets=("gfx90a", "gfx942", "gfx1100", "gfx1201"))
