"""What runs once for the block, and in which segment between two synchronisations the rest does."""
