"""The parts of `fly-layout-lowering`: values with emitted leaves, and one lowering function per Fly operation."""
