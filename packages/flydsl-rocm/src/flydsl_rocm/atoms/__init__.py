"""AMD copy and matrix atoms: types with their thread-value layouts, and the intrinsics they become."""
