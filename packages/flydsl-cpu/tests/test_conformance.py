"""The conformance suite on the CPU."""

from flydsl.testing.suite import conformance

TestCpu = conformance("flydsl_cpu.plugin", targets=("x86-64-v2", "x86-64-v3", "aarch64"))
