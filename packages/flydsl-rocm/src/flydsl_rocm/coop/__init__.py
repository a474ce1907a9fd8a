"""Cooperation of threads by instructions of AMD GPUs: what the backend gives `fx.coop`."""
