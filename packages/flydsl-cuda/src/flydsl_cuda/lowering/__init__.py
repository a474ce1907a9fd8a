"""What several passes make of kernels: inline PTX, atomics, copies in bulk, remainders."""
