"""The passes of this backend that run in Python, one a file; `flydsl_cuda.pipeline` has their order."""
