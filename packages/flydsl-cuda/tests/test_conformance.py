"""The conformance suite on NVIDIA GPUs: without one, kernels are compiled and not launched."""

from flydsl.testing.suite import conformance

TestCuda = conformance("flydsl_cuda.plugin", targets=("sm_80", "sm_90a", "sm_100a"))
