"""Scalars and vectors: types, promotion, arithmetic, casts."""
