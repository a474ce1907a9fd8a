"""The conformance suite on NVIDIA GPUs: without one, kernels are compiled and not launched."""

from flydsl.testing.suite import conformance
from flydsl_cuda.conformance import CUDA

TestCuda = conformance("flydsl_cuda.plugin", targets=CUDA.targets)
