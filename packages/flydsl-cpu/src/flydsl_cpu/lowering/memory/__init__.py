"""Memory of threads and of blocks: the objects, the accesses, and which of them may be the same bytes."""
