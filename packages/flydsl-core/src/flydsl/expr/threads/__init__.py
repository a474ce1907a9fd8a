"""Shuffles, printing, streams and compile-time control flow."""
