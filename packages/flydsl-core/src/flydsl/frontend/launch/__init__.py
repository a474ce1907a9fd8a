"""What a launch says besides its kernel: sizes, clusters, modes, attributes."""
