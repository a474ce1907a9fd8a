"""What is installed: entry points, their hooks and manifests, and what is remembered of them."""
