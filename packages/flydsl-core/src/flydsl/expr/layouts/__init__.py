"""Int tuples, layouts and tiles as values of a trace."""
