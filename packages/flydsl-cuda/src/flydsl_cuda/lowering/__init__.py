"""Fly to NVVM: the pass `convert-fly-to-nvvm` and its parts."""
