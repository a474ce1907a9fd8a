"""FlyDSL for PyTorch: installed, it makes `torch.Tensor` an argument of kernels; nothing needs to be imported."""
