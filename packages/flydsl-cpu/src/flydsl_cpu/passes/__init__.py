"""The passes of the CPU, one a file; `flydsl_cpu.pipeline` has their order."""
