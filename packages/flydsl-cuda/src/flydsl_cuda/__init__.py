"""The CUDA backend of FlyDSL: code for NVIDIA GPUs and a runtime over the CUDA driver."""
