"""The passes of this backend that run in Python, one a file; `flydsl_rocm.pipeline` has their order."""
