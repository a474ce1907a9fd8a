"""The parts of `fly-llc`."""
