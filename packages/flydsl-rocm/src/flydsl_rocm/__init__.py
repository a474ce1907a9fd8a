"""The ROCm backend of FlyDSL: AMD code objects, target atoms and the HIP runtime."""
