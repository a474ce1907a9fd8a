"""Loading and launching: devices, streams, events, buffers and kernels over the active device runtime."""
