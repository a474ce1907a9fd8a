"""The one active pair and its device runtime."""
