"""Address spaces, pointers, tensors, storage, shared memory and atomics."""
