"""Loading and launching: vendor-neutral devices, streams, events, buffers and kernels over the active device runtime."""
