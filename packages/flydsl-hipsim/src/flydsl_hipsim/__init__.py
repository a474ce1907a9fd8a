"""AMD code objects in, their kernels executed on the CPU: `run` without HIP, `install` as the HIP runtime's library."""
