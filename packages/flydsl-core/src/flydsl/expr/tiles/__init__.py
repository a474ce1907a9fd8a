"""Copy and MMA atoms, tiled over threads and values."""
