"""Atoms of NVIDIA GPUs: their types in the dialect `fly_nvvm`, and what they become."""
