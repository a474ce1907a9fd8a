"""The parts of `fly-opt`."""
